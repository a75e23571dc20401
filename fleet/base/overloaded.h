// Several lambdas as one function object, for std::visit over a variant: a lambda for each type
// that matters, and a last one with an `auto` parameter for all others.
#pragma once

namespace drover {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace drover
