// Keeps the library of the test programs from being without sources where Catch2 brings its own
// main.
