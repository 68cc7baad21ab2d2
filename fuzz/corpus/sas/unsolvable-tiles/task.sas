begin_version
3
end_version
begin_metric
0
end_metric
4
begin_variable
tile0
-1
4
Atom at(0, 0)
Atom at(0, 1)
Atom at(0, 2)
Atom at(0, 3)
end_variable
begin_variable
tile1
-1
4
Atom at(1, 0)
Atom at(1, 1)
Atom at(1, 2)
Atom at(1, 3)
end_variable
begin_variable
tile2
-1
4
Atom at(2, 0)
Atom at(2, 1)
Atom at(2, 2)
Atom at(2, 3)
end_variable
begin_variable
tile3
-1
4
Atom at(3, 0)
Atom at(3, 1)
Atom at(3, 2)
Atom at(3, 3)
end_variable
0
begin_state
0
1
2
3
end_state
begin_goal
4
0 0
1 2
2 1
3 3
end_goal
24
begin_operator
slide 1 0 1
0
2
0 0 1 0
0 1 0 1
1
end_operator
begin_operator
slide 2 0 1
0
2
0 0 1 0
0 2 0 1
1
end_operator
begin_operator
slide 3 0 1
0
2
0 0 1 0
0 3 0 1
1
end_operator
begin_operator
slide 1 0 2
0
2
0 0 2 0
0 1 0 2
1
end_operator
begin_operator
slide 2 0 2
0
2
0 0 2 0
0 2 0 2
1
end_operator
begin_operator
slide 3 0 2
0
2
0 0 2 0
0 3 0 2
1
end_operator
begin_operator
slide 1 1 0
0
2
0 0 0 1
0 1 1 0
1
end_operator
begin_operator
slide 2 1 0
0
2
0 0 0 1
0 2 1 0
1
end_operator
begin_operator
slide 3 1 0
0
2
0 0 0 1
0 3 1 0
1
end_operator
begin_operator
slide 1 1 3
0
2
0 0 3 1
0 1 1 3
1
end_operator
begin_operator
slide 2 1 3
0
2
0 0 3 1
0 2 1 3
1
end_operator
begin_operator
slide 3 1 3
0
2
0 0 3 1
0 3 1 3
1
end_operator
begin_operator
slide 1 2 0
0
2
0 0 0 2
0 1 2 0
1
end_operator
begin_operator
slide 2 2 0
0
2
0 0 0 2
0 2 2 0
1
end_operator
begin_operator
slide 3 2 0
0
2
0 0 0 2
0 3 2 0
1
end_operator
begin_operator
slide 1 2 3
0
2
0 0 3 2
0 1 2 3
1
end_operator
begin_operator
slide 2 2 3
0
2
0 0 3 2
0 2 2 3
1
end_operator
begin_operator
slide 3 2 3
0
2
0 0 3 2
0 3 2 3
1
end_operator
begin_operator
slide 1 3 1
0
2
0 0 1 3
0 1 3 1
1
end_operator
begin_operator
slide 2 3 1
0
2
0 0 1 3
0 2 3 1
1
end_operator
begin_operator
slide 3 3 1
0
2
0 0 1 3
0 3 3 1
1
end_operator
begin_operator
slide 1 3 2
0
2
0 0 2 3
0 1 3 2
1
end_operator
begin_operator
slide 2 3 2
0
2
0 0 2 3
0 2 3 2
1
end_operator
begin_operator
slide 3 3 2
0
2
0 0 2 3
0 3 3 2
1
end_operator
0