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
Atom b(0)
NegatedAtom b(0)
end_variable
begin_variable
var1
-1
2
Atom b(1)
NegatedAtom b(1)
end_variable
begin_variable
var2
-1
2
Atom b(2)
NegatedAtom b(2)
end_variable
begin_variable
var3
-1
2
Atom b(3)
NegatedAtom b(3)
end_variable
begin_variable
var4
-1
2
Atom b(4)
NegatedAtom b(4)
end_variable
0
begin_state
1
1
1
1
1
end_state
begin_goal
5
0 0
1 0
2 0
3 0
4 0
end_goal
5
begin_operator
inc0
0
1
0 0 1 0
1
end_operator
begin_operator
inc1
0
2
0 1 1 0
0 0 0 1
1
end_operator
begin_operator
inc2
0
3
0 2 1 0
0 0 0 1
0 1 0 1
1
end_operator
begin_operator
inc3
0
4
0 3 1 0
0 0 0 1
0 1 0 1
0 2 0 1
1
end_operator
begin_operator
inc4
0
5
0 4 1 0
0 0 0 1
0 1 0 1
0 2 0 1
0 3 0 1
1
end_operator
0
