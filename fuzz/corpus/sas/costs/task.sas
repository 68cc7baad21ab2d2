begin_version
3
end_version
begin_metric
1
end_metric
2
begin_variable
var0
-1
3
Atom at(a)
Atom at(b)
Atom at(c)
end_variable
begin_variable
var1
-1
2
Atom k()
NegatedAtom k()
end_variable
1
begin_mutex_group
2
0 0
1 0
end_mutex_group
begin_state
0
1
end_state
begin_goal
2
0 2
1 0
end_goal
4
begin_operator
go a b
0
1
0 0 0 1
3
end_operator
begin_operator
go b c
1
1 0
1
0 0 1 2
0
end_operator
begin_operator
take
1
0 1
1
0 1 1 0
7
end_operator
begin_operator
take
1
0 0
1
0 1 -1 0
9223372036854775807
end_operator
0
