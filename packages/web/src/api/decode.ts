/**
 * Checks an untrusted value without the schema library. For parts of the studio that every page loads, or that process
 * hundreds of events a second. Fields that aren't named are dropped.
 */
export interface Decoder<T> {
  /** Returns the decoded value. Throws a TypeError if it doesn't match. */
  parse(value: unknown): T
}

export type Decoded<D> = D extends Decoder<infer T> ? T : never
export type Fields = Readonly<Record<string, Decoder<unknown>>>

/** Object type with these fields. A field that may be undefined is optional. */
export type DecodedFields<F> = {
  -readonly [K in keyof F as undefined extends Decoded<F[K]> ? never : K]: Decoded<F[K]>
} & { -readonly [K in keyof F as undefined extends Decoded<F[K]> ? K : never]?: Decoded<F[K]> }

export const text = primitive<string>("string")
export const number = primitive<number>("number")
export const flag = primitive<boolean>("boolean")
/** Accepts any value, unchecked. */
export const anything: Decoder<unknown> = { parse: (value) => value }
/** Accepts an object with any fields. */
export const record: Decoder<Record<string, unknown>> = {
  parse: (value) => (isObject(value) ? value : fail("an object", value)),
}

export function oneOf<const T extends string>(...values: readonly T[]): Decoder<T> {
  return { parse: (value) => values.find((one) => one === value) ?? fail(values.join(" or "), value) }
}

export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined> {
  return { parse: (value) => (value === undefined ? undefined : decoder.parse(value)) }
}

export function orNull<T>(decoder: Decoder<T>): Decoder<T | null> {
  return { parse: (value) => (value === null ? null : decoder.parse(value)) }
}

export function list<T>(decoder: Decoder<T>): Decoder<T[]> {
  return { parse: (value) => (Array.isArray(value) ? value.map((one) => decoder.parse(one)) : fail("a list", value)) }
}

export function object<const F extends Fields>(fields: F): Decoder<DecodedFields<F>> {
  const entries = Object.entries(fields)
  return {
    parse: (value) => {
      if (!isObject(value)) return fail("an object", value)
      const decoded: Record<string, unknown> = {}
      for (const [name, decoder] of entries) {
        const field = decoder.parse(value[name])
        if (field !== undefined) decoded[name] = field
      }
      return decoded as DecodedFields<F>
    },
  }
}

/** Returns fields that all have the same type. */
export function each<T, const N extends string>(decoder: Decoder<T>, ...names: readonly N[]): Record<N, Decoder<T>> {
  return Object.fromEntries(names.map((name) => [name, decoder])) as Record<N, Decoder<T>>
}

/** Accepts what any of the decoders accepts, preferring the first. */
export function either<T extends unknown[]>(...decoders: { [I in keyof T]: Decoder<T[I]> }): Decoder<T[number]> {
  return {
    parse: (value) => {
      let failure: unknown
      for (const decoder of decoders) {
        try {
          return decoder.parse(value)
        } catch (error) {
          failure = error
        }
      }
      throw failure
    },
  }
}

/** Returns the decoded value, or undefined if it doesn't match. */
export function tryDecode<T>(decoder: Decoder<T>, value: unknown): T | undefined {
  try {
    return decoder.parse(value)
  } catch {
    return undefined
  }
}

/** Returns the decoded value of a JSON text, or undefined if it doesn't match. */
export function decodeJson<T>(decoder: Decoder<T>, json: string): T | undefined {
  try {
    return decoder.parse(JSON.parse(json))
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function primitive<T>(type: "string" | "number" | "boolean"): Decoder<T> {
  return { parse: (value) => (typeof value === type ? (value as T) : fail(`a ${type}`, value)) }
}

function fail(expected: string, value: unknown): never {
  throw new TypeError(`Expected ${expected}, but got ${value === null ? "null" : typeof value}.`)
}
