#include <mgws/backends/cuda/backend.hpp>

using B = mgws::cuda_backend::backend;

#include "operations.hpp"
