begin_version
3
end_version
begin_metric
0
end_metric
4
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
begin_variable
var2
-1
2
Atom p(2)
NegatedAtom p(2)
end_variable
begin_variable
var3
-1
2
Atom p(3)
NegatedAtom p(3)
end_variable
0
begin_state
1
1
1
1
end_state
begin_goal
4
0 0
1 0
2 0
3 0
end_goal
5
begin_operator
SET p0
0
1
0 0 1 0
1
end_operator
begin_operator
SET p1
0
1
0 1 1 0
1
end_operator
begin_operator
SET p2
0
1
0 2 1 0
1
end_operator
begin_operator
Set p3
1
0 0
1
0 3 1 0
1
end_operator
begin_operator
all
0
3
0 0 -1 0
0 1 -1 0
0 2 -1 0
9
end_operator
0
