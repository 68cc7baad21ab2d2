begin_version
3
end_version
begin_metric
0
end_metric
20
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
0
begin_state
1
1
1
1
1
1
1
1
1
1
1
1
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
20
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
end_goal
20
begin_operator
s0
0
1
0 0 1 0
1
end_operator
begin_operator
s1
0
1
0 1 1 0
1
end_operator
begin_operator
s2
0
1
0 2 1 0
1
end_operator
begin_operator
s3
0
1
0 3 1 0
1
end_operator
begin_operator
s4
0
1
0 4 1 0
1
end_operator
begin_operator
s5
0
1
0 5 1 0
1
end_operator
begin_operator
s6
0
1
0 6 1 0
1
end_operator
begin_operator
s7
0
1
0 7 1 0
1
end_operator
begin_operator
s8
0
1
0 8 1 0
1
end_operator
begin_operator
s9
0
1
0 9 1 0
1
end_operator
begin_operator
s10
0
1
0 10 1 0
1
end_operator
begin_operator
s11
0
1
0 11 1 0
1
end_operator
begin_operator
s12
0
1
0 12 1 0
1
end_operator
begin_operator
s13
0
1
0 13 1 0
1
end_operator
begin_operator
s14
0
1
0 14 1 0
1
end_operator
begin_operator
s15
0
1
0 15 1 0
1
end_operator
begin_operator
s16
0
1
0 16 1 0
1
end_operator
begin_operator
s17
0
1
0 17 1 0
1
end_operator
begin_operator
s18
0
1
0 18 1 0
1
end_operator
begin_operator
s19
0
1
0 19 1 0
1
end_operator
0
