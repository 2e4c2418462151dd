module example.org/remora/bindings/go

go 1.19
