begin_version
3
end_version
begin_metric
0
end_metric
2
begin_variable
var0
-1
2
Atom p(0)
NegatedAtom p(0)
end_variable
begin_variable
var1
-1
2
Atom p(1)
NegatedAtom p(1)
end_variable
0
begin_state
0
1
end_state
begin_goal
1
1 1
end_goal
0
0
