begin_version
3
end_version
begin_metric
0
end_metric
5
begin_variable
var0
-1
2
Atom at(x0, v0)
Atom at(x0, v1)
end_variable
begin_variable
var1
-1
2
Atom at(x1, v0)
Atom at(x1, v1)
end_variable
begin_variable
var2
-1
2
Atom at(x2, v0)
Atom at(x2, v1)
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
0
begin_state
1
1
1
0
0
end_state
begin_goal
5
0 1
1 1
2 1
3 1
4 1
end_goal
40
begin_operator
op0
0
3
0 0 0 1
0 1 0 1
0 2 0 1
1
end_operator
begin_operator
op1
0
3
0 0 1 0
0 1 0 1
0 2 0 1
1
end_operator
begin_operator
op2
0
3
0 0 0 1
0 1 1 0
0 2 0 1
1
end_operator
begin_operator
op3
0
3
0 0 1 0
0 1 1 0
0 2 0 1
1
end_operator
begin_operator
op4
0
3
0 0 0 1
0 1 0 1
0 2 1 0
1
end_operator
begin_operator
op5
0
3
0 0 1 0
0 1 0 1
0 2 1 0
1
end_operator
begin_operator
op6
0
3
0 0 0 1
0 1 1 0
0 2 1 0
1
end_operator
begin_operator
op7
0
3
0 0 1 0
0 1 1 0
0 2 1 0
1
end_operator
begin_operator
op8
0
3
0 1 0 1
0 2 0 1
0 3 0 1
1
end_operator
begin_operator
op9
0
3
0 1 1 0
0 2 0 1
0 3 0 1
1
end_operator
begin_operator
op10
0
3
0 1 0 1
0 2 1 0
0 3 0 1
1
end_operator
begin_operator
op11
0
3
0 1 1 0
0 2 1 0
0 3 0 1
1
end_operator
begin_operator
op12
0
3
0 1 0 1
0 2 0 1
0 3 1 0
1
end_operator
begin_operator
op13
0
3
0 1 1 0
0 2 0 1
0 3 1 0
1
end_operator
begin_operator
op14
0
3
0 1 0 1
0 2 1 0
0 3 1 0
1
end_operator
begin_operator
op15
0
3
0 1 1 0
0 2 1 0
0 3 1 0
1
end_operator
begin_operator
op16
0
3
0 2 0 1
0 3 0 1
0 4 0 1
1
end_operator
begin_operator
op17
0
3
0 2 1 0
0 3 0 1
0 4 0 1
1
end_operator
begin_operator
op18
0
3
0 2 0 1
0 3 1 0
0 4 0 1
1
end_operator
begin_operator
op19
0
3
0 2 1 0
0 3 1 0
0 4 0 1
1
end_operator
begin_operator
op20
0
3
0 2 0 1
0 3 0 1
0 4 1 0
1
end_operator
begin_operator
op21
0
3
0 2 1 0
0 3 0 1
0 4 1 0
1
end_operator
begin_operator
op22
0
3
0 2 0 1
0 3 1 0
0 4 1 0
1
end_operator
begin_operator
op23
0
3
0 2 1 0
0 3 1 0
0 4 1 0
1
end_operator
begin_operator
op24
0
3
0 3 0 1
0 4 0 1
0 0 0 1
1
end_operator
begin_operator
op25
0
3
0 3 1 0
0 4 0 1
0 0 0 1
1
end_operator
begin_operator
op26
0
3
0 3 0 1
0 4 1 0
0 0 0 1
1
end_operator
begin_operator
op27
0
3
0 3 1 0
0 4 1 0
0 0 0 1
1
end_operator
begin_operator
op28
0
3
0 3 0 1
0 4 0 1
0 0 1 0
1
end_operator
begin_operator
op29
0
3
0 3 1 0
0 4 0 1
0 0 1 0
1
end_operator
begin_operator
op30
0
3
0 3 0 1
0 4 1 0
0 0 1 0
1
end_operator
begin_operator
op31
0
3
0 3 1 0
0 4 1 0
0 0 1 0
1
end_operator
begin_operator
op32
0
3
0 4 0 1
0 0 0 1
0 1 0 1
1
end_operator
begin_operator
op33
0
3
0 4 1 0
0 0 0 1
0 1 0 1
1
end_operator
begin_operator
op34
0
3
0 4 0 1
0 0 1 0
0 1 0 1
1
end_operator
begin_operator
op35
0
3
0 4 1 0
0 0 1 0
0 1 0 1
1
end_operator
begin_operator
op36
0
3
0 4 0 1
0 0 0 1
0 1 1 0
1
end_operator
begin_operator
op37
0
3
0 4 1 0
0 0 0 1
0 1 1 0
1
end_operator
begin_operator
op38
0
3
0 4 0 1
0 0 1 0
0 1 1 0
1
end_operator
begin_operator
op39
0
3
0 4 1 0
0 0 1 0
0 1 1 0
1
end_operator
0
