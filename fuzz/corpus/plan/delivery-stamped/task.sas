begin_version
3
end_version
begin_metric
0
end_metric
3
begin_variable
var0
-1
3
Atom at(x0, v0)
Atom at(x0, v1)
Atom at(x0, v2)
end_variable
begin_variable
var1
-1
4
Atom at(x1, v0)
Atom at(x1, v1)
Atom at(x1, v2)
Atom at(x1, v3)
end_variable
begin_variable
var2
-1
4
Atom at(x2, v0)
Atom at(x2, v1)
Atom at(x2, v2)
Atom at(x2, v3)
end_variable
0
begin_state
1
2
2
end_state
begin_goal
2
1 1
2 1
end_goal
18
begin_operator
op0
0
1
0 0 0 1
1
end_operator
begin_operator
op1
0
1
0 0 0 2
1
end_operator
begin_operator
op2
1
0 0
1
0 1 0 3
1
end_operator
begin_operator
op3
1
0 0
1
0 1 3 0
1
end_operator
begin_operator
op4
1
0 0
1
0 2 0 3
1
end_operator
begin_operator
op5
1
0 0
1
0 2 3 0
1
end_operator
begin_operator
op6
0
1
0 0 1 2
1
end_operator
begin_operator
op7
0
1
0 0 1 0
1
end_operator
begin_operator
op8
1
0 1
1
0 1 1 3
1
end_operator
begin_operator
op9
1
0 1
1
0 1 3 1
1
end_operator
begin_operator
op10
1
0 1
1
0 2 1 3
1
end_operator
begin_operator
op11
1
0 1
1
0 2 3 1
1
end_operator
begin_operator
op12
0
1
0 0 2 0
1
end_operator
begin_operator
op13
0
1
0 0 2 1
1
end_operator
begin_operator
op14
1
0 2
1
0 1 2 3
1
end_operator
begin_operator
op15
1
0 2
1
0 1 3 2
1
end_operator
begin_operator
op16
1
0 2
1
0 2 2 3
1
end_operator
begin_operator
op17
1
0 2
1
0 2 3 2
1
end_operator
0
