module example.org/remora

go 1.19
