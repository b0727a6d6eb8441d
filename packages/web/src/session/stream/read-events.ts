import type { EventOf, EventType } from "@switchyard/core/events"

/**
 * The fields that the studio reads from each type of event, checked against core's own types. If core renames, drops or
 * changes a field, a compile error names it. Only types, so the bundle contains none of core's schemas.
 */
export type ReadEvents<Read extends Agreement<Read>> = Read

/** `unknown`, which any fields match, for each type that agrees. Otherwise the mismatch, which no fields match. */
type Agreement<Read> = { [T in keyof Read]: Wrong<Read, T> extends never ? unknown : { "not in core": Wrong<Read, T> } }

type Wrong<Read, T extends keyof Read> = T extends EventType
  ? Unknown<Read[T], EventOf<T>> | ([EventOf<T>] extends [Read[T]] ? never : "a field of another type")
  : "no such event"

/** Names of fields, at any depth, that are read but never sent. */
type Unknown<Read, Sent> = Read extends readonly (infer One)[]
  ? Unknown<One, Extract<Sent, readonly unknown[]>[number]>
  : Read extends object
    ? {
        [K in keyof Read & string]-?: K extends KeyOf<Sent>
          ? Unknown<NonNullable<Read[K]>, NonNullable<ValueOf<Sent, K>>>
          : K
      }[keyof Read & string]
    : never

/** Keys and values of all members of a union. */
type KeyOf<Sent> = Sent extends unknown ? keyof Sent : never
type ValueOf<Sent, K> = Sent extends unknown ? (K extends keyof Sent ? Sent[K] : never) : never
