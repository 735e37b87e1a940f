#pragma once

/// Lists of types, a loop over one, and one list made of several: what catalogs are made of.

namespace timers {

template <class... Types>
struct TypeList {};

/// Calls `visit.template operator()<Type>()` for each type of the list, in order.
template <class... Types, class Visitor>
void for_each_type(TypeList<Types...>, [[maybe_unused]] Visitor visit) {
  (visit.template operator()<Types>(), ...);
}

template <class... Lists>
struct JoinedLists;

template <>
struct JoinedLists<> {
  using Type = TypeList<>;
};

template <class... Types>
struct JoinedLists<TypeList<Types...>> {
  using Type = TypeList<Types...>;
};

template <class... First, class... Second, class... Rest>
struct JoinedLists<TypeList<First...>, TypeList<Second...>, Rest...> {
  using Type = typename JoinedLists<TypeList<First..., Second...>, Rest...>::Type;
};

/// The types of all these lists, in order.
template <class... Lists>
using Joined = typename JoinedLists<Lists...>::Type;

}  // namespace timers
