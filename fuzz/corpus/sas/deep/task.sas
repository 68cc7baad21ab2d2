begin_version
3
end_version
begin_metric
0
end_metric
41
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
begin_variable
var4
-1
2
Atom p(4)
NegatedAtom p(4)
end_variable
begin_variable
var5
-1
2
Atom p(5)
NegatedAtom p(5)
end_variable
begin_variable
var6
-1
2
Atom p(6)
NegatedAtom p(6)
end_variable
begin_variable
var7
-1
2
Atom p(7)
NegatedAtom p(7)
end_variable
begin_variable
var8
-1
2
Atom p(8)
NegatedAtom p(8)
end_variable
begin_variable
var9
-1
2
Atom p(9)
NegatedAtom p(9)
end_variable
begin_variable
var10
-1
2
Atom p(10)
NegatedAtom p(10)
end_variable
begin_variable
var11
-1
2
Atom p(11)
NegatedAtom p(11)
end_variable
begin_variable
var12
-1
2
Atom p(12)
NegatedAtom p(12)
end_variable
begin_variable
var13
-1
2
Atom p(13)
NegatedAtom p(13)
end_variable
begin_variable
var14
-1
2
Atom p(14)
NegatedAtom p(14)
end_variable
begin_variable
var15
-1
2
Atom p(15)
NegatedAtom p(15)
end_variable
begin_variable
var16
-1
2
Atom p(16)
NegatedAtom p(16)
end_variable
begin_variable
var17
-1
2
Atom p(17)
NegatedAtom p(17)
end_variable
begin_variable
var18
-1
2
Atom p(18)
NegatedAtom p(18)
end_variable
begin_variable
var19
-1
2
Atom p(19)
NegatedAtom p(19)
end_variable
begin_variable
var20
-1
2
Atom p(20)
NegatedAtom p(20)
end_variable
begin_variable
var21
-1
2
Atom p(21)
NegatedAtom p(21)
end_variable
begin_variable
var22
-1
2
Atom p(22)
NegatedAtom p(22)
end_variable
begin_variable
var23
-1
2
Atom p(23)
NegatedAtom p(23)
end_variable
begin_variable
var24
-1
2
Atom p(24)
NegatedAtom p(24)
end_variable
begin_variable
var25
-1
2
Atom p(25)
NegatedAtom p(25)
end_variable
begin_variable
var26
-1
2
Atom p(26)
NegatedAtom p(26)
end_variable
begin_variable
var27
-1
2
Atom p(27)
NegatedAtom p(27)
end_variable
begin_variable
var28
-1
2
Atom p(28)
NegatedAtom p(28)
end_variable
begin_variable
var29
-1
2
Atom p(29)
NegatedAtom p(29)
end_variable
begin_variable
var30
-1
2
Atom p(30)
NegatedAtom p(30)
end_variable
begin_variable
var31
-1
2
Atom p(31)
NegatedAtom p(31)
end_variable
begin_variable
var32
-1
2
Atom p(32)
NegatedAtom p(32)
end_variable
begin_variable
var33
-1
2
Atom p(33)
NegatedAtom p(33)
end_variable
begin_variable
var34
-1
2
Atom p(34)
NegatedAtom p(34)
end_variable
begin_variable
var35
-1
2
Atom p(35)
NegatedAtom p(35)
end_variable
begin_variable
var36
-1
2
Atom p(36)
NegatedAtom p(36)
end_variable
begin_variable
var37
-1
2
Atom p(37)
NegatedAtom p(37)
end_variable
begin_variable
var38
-1
2
Atom p(38)
NegatedAtom p(38)
end_variable
begin_variable
var39
-1
2
Atom p(39)
NegatedAtom p(39)
end_variable
begin_variable
var40
-1
2
Atom p(40)
NegatedAtom p(40)
end_variable
0
begin_state
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
0
1
end_state
begin_goal
1
40 0
end_goal
3
begin_operator
a
40
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
8 0
9 0
10 0
11 0
12 0
13 0
14 0
15 0
16 0
17 0
18 0
19 0
20 0
21 0
22 0
23 0
24 0
25 0
26 0
27 0
28 0
29 0
30 0
31 0
32 0
33 0
34 0
35 0
36 0
37 0
38 0
39 0
1
0 40 1 0
1
end_operator
begin_operator
b
40
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
8 0
9 0
10 0
11 0
12 0
13 0
14 0
15 0
16 0
17 0
18 0
19 0
20 0
21 0
22 0
23 0
24 0
25 0
26 0
27 0
28 0
29 0
30 0
31 0
32 0
33 0
34 0
35 0
36 0
37 0
38 0
39 0
1
0 40 1 0
1
end_operator
begin_operator
c
39
0 0
1 0
2 0
3 0
4 0
5 0
6 0
7 0
8 0
9 0
10 0
11 0
12 0
13 0
14 0
15 0
16 0
17 0
18 0
19 0
20 0
21 0
22 0
23 0
24 0
25 0
26 0
27 0
28 0
29 0
30 0
31 0
32 0
33 0
34 0
35 0
36 0
37 0
38 0
1
0 40 1 0
1
end_operator
0
