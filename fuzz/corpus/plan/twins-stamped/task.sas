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
0
begin_state
0
1
end_state
begin_goal
2
0 2
1 0
end_goal
5
begin_operator
go
0
1
0 0 0 1
1
end_operator
begin_operator
go
0
1
0 0 1 2
1
end_operator
begin_operator
go
0
1
0 0 0 2
5
end_operator
begin_operator
take  it
0
1
0 1 1 0
1
end_operator
begin_operator
TAKE It
0
1
0 1 -1 0
0
end_operator
0
