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
2
Atom g(0)
NegatedAtom g(0)
end_variable
begin_variable
var1
-1
2
Atom g(1)
NegatedAtom g(1)
end_variable
begin_variable
var2
-1
2
Atom g(2)
NegatedAtom g(2)
end_variable
begin_variable
var3
-1
2
Atom g(3)
NegatedAtom g(3)
end_variable
begin_variable
var4
-1
2
Atom g(4)
NegatedAtom g(4)
end_variable
begin_variable
var5
-1
2
Atom g(5)
NegatedAtom g(5)
end_variable
begin_variable
var6
-1
2
Atom g(6)
NegatedAtom g(6)
end_variable
begin_variable
var7
-1
2
Atom g(7)
NegatedAtom g(7)
end_variable
8
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_mutex_group
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_mutex_group
begin_state
1
1
1
1
1
1
1
1
end_state
begin_goal
8
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
end_goal
20
begin_operator
o1
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o2
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o3
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o4
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o5
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o6
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o7
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o8
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o9
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o10
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o11
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o12
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o13
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o14
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o15
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o16
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o17
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o18
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
o19
0
8
0 0 -1 0
0 1 -1 0
0 2 -1 0
0 3 -1 0
0 4 -1 0
0 5 -1 0
0 6 -1 0
0 7 -1 0
1
end_operator
begin_operator
x
0
1
0 0 -1 0
1
end_operator
0
