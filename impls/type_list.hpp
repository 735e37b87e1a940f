#pragma once

/// Lists of types, and a loop over one: what catalogs are made of.

namespace timers {

template <class... Types>
struct TypeList {};

/// Calls `visit.template operator()<Type>()` for each type of the list, in order.
template <class... Types, class Visitor>
void for_each_type(TypeList<Types...>, [[maybe_unused]] Visitor visit) {
  (visit.template operator()<Types>(), ...);
}

/// The types of both lists, in order.
template <class... First, class... Second>
TypeList<First..., Second...> joined(TypeList<First...>, TypeList<Second...>);

}  // namespace timers
