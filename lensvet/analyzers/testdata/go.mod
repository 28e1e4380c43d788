module example.com/vetted

go 1.26.0
