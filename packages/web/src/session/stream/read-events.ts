import type { EventOf, EventType } from "@switchyard/core/events"

/**
 * The fields that the studio reads of each type of event, held to core's own types: a field that core renames, drops or
 * changes is an error of the compiler that names it. Types only, so the bundle has none of core's schemas.
 */
export type ReadEvents<Read extends Agreement<Read>> = Read

/** `unknown` for each type that agrees, which any fields fit; else what is wrong, which none do. */
type Agreement<Read> = { [T in keyof Read]: Wrong<Read, T> extends never ? unknown : { "not in core": Wrong<Read, T> } }

type Wrong<Read, T extends keyof Read> = T extends EventType
  ? Unknown<Read[T], EventOf<T>> | ([EventOf<T>] extends [Read[T]] ? never : "a field of another type")
  : "no such event"

/** The names among the fields that are read, at any depth, that what is sent doesn't have. */
type Unknown<Read, Sent> = Read extends readonly (infer One)[]
  ? Unknown<One, Extract<Sent, readonly unknown[]>[number]>
  : Read extends object
    ? {
        [K in keyof Read & string]-?: K extends KeyOf<Sent>
          ? Unknown<NonNullable<Read[K]>, NonNullable<ValueOf<Sent, K>>>
          : K
      }[keyof Read & string]
    : never

/** Of a union, the keys and values of every member. */
type KeyOf<Sent> = Sent extends unknown ? keyof Sent : never
type ValueOf<Sent, K> = Sent extends unknown ? (K extends keyof Sent ? Sent[K] : never) : never
