// The object whose precompiled headers the libraries take (cmake/marsim.cmake).
