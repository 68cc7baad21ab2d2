begin_version
3
end_version
begin_metric
0
end_metric
7
begin_variable
var0
-1
5
Atom at(x0, v0)
Atom at(x0, v1)
Atom at(x0, v2)
Atom at(x0, v3)
Atom at(x0, v4)
end_variable
begin_variable
var1
-1
5
Atom at(x1, v0)
Atom at(x1, v1)
Atom at(x1, v2)
Atom at(x1, v3)
Atom at(x1, v4)
end_variable
begin_variable
var2
-1
5
Atom at(x2, v0)
Atom at(x2, v1)
Atom at(x2, v2)
Atom at(x2, v3)
Atom at(x2, v4)
end_variable
begin_variable
var3
-1
2
Atom at(x3, v0)
Atom at(x3, v1)
end_variable
begin_variable
var4
-1
2
Atom at(x4, v0)
Atom at(x4, v1)
end_variable
begin_variable
var5
-1
2
Atom at(x5, v0)
Atom at(x5, v1)
end_variable
begin_variable
var6
-1
2
Atom at(x6, v0)
Atom at(x6, v1)
end_variable
4
begin_mutex_group
3
1 0
2 0
3 1
end_mutex_group
begin_mutex_group
3
0 1
2 1
4 1
end_mutex_group
begin_mutex_group
3
0 2
1 2
5 1
end_mutex_group
begin_mutex_group
4
0 4
1 4
2 4
6 1
end_mutex_group
begin_state
3
2
0
0
1
0
1
end_state
begin_goal
2
0 2
2 1
end_goal
18
begin_operator
op0
0
3
0 0 3 4
0 3 1 0
0 6 1 0
1
end_operator
begin_operator
op1
0
3
0 0 4 3
0 3 -1 1
0 6 -1 1
1
end_operator
begin_operator
op2
0
4
0 0 1 4
0 3 1 0
0 6 1 0
0 4 -1 1
1
end_operator
begin_operator
op3
0
4
0 0 4 1
0 3 -1 1
0 6 -1 1
0 4 1 0
1
end_operator
begin_operator
op4
0
4
0 0 2 4
0 3 1 0
0 6 1 0
0 5 -1 1
1
end_operator
begin_operator
op5
0
4
0 0 4 2
0 3 -1 1
0 6 -1 1
0 5 1 0
1
end_operator
begin_operator
op6
0
3
0 1 3 4
0 4 1 0
0 6 1 0
1
end_operator
begin_operator
op7
0
3
0 1 4 3
0 4 -1 1
0 6 -1 1
1
end_operator
begin_operator
op8
0
4
0 1 0 4
0 4 1 0
0 6 1 0
0 3 -1 1
1
end_operator
begin_operator
op9
0
4
0 1 4 0
0 4 -1 1
0 6 -1 1
0 3 1 0
1
end_operator
begin_operator
op10
0
4
0 1 2 4
0 4 1 0
0 6 1 0
0 5 -1 1
1
end_operator
begin_operator
op11
0
4
0 1 4 2
0 4 -1 1
0 6 -1 1
0 5 1 0
1
end_operator
begin_operator
op12
0
3
0 2 3 4
0 5 1 0
0 6 1 0
1
end_operator
begin_operator
op13
0
3
0 2 4 3
0 5 -1 1
0 6 -1 1
1
end_operator
begin_operator
op14
0
4
0 2 0 4
0 5 1 0
0 6 1 0
0 3 -1 1
1
end_operator
begin_operator
op15
0
4
0 2 4 0
0 5 -1 1
0 6 -1 1
0 3 1 0
1
end_operator
begin_operator
op16
0
4
0 2 1 4
0 5 1 0
0 6 1 0
0 4 -1 1
1
end_operator
begin_operator
op17
0
4
0 2 4 1
0 5 -1 1
0 6 -1 1
0 4 1 0
1
end_operator
0
