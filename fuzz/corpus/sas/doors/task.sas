begin_version
3
end_version
begin_metric
0
end_metric
8
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
begin_variable
var7
-1
2
Atom at(x7, v0)
Atom at(x7, v1)
end_variable
0
begin_state
0
0
1
0
0
1
0
0
end_state
begin_goal
4
5 1
6 1
7 1
0 0
end_goal
12
begin_operator
op0
1
0 0
1
0 1 0 3
1
end_operator
begin_operator
op1
1
0 1
1
0 1 1 3
1
end_operator
begin_operator
op2
1
0 2
1
0 1 2 3
1
end_operator
begin_operator
op3
2
0 0
1 3
1
0 3 -1 1
1
end_operator
begin_operator
op4
1
3 1
2
0 0 0 1
0 6 -1 1
1
end_operator
begin_operator
op5
1
3 1
2
0 0 1 0
0 5 -1 1
1
end_operator
begin_operator
op6
1
0 0
1
0 2 0 3
1
end_operator
begin_operator
op7
1
0 1
1
0 2 1 3
1
end_operator
begin_operator
op8
1
0 2
1
0 2 2 3
1
end_operator
begin_operator
op9
2
0 1
2 3
1
0 4 -1 1
1
end_operator
begin_operator
op10
1
4 1
2
0 0 1 2
0 7 -1 1
1
end_operator
begin_operator
op11
1
4 1
2
0 0 2 1
0 6 -1 1
1
end_operator
0
