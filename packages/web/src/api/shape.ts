/**
 * What something that was sent has to be, checked by hand: the parts of the studio that everybody loads, or that read
 * hundreds of events a second, do without the library of schemas. Fields that nobody named are left out.
 */
export interface Shape<T> {
  /** The value, if it has the shape; else throws a TypeError. */
  parse(sent: unknown): T
}

export type Read<S> = S extends Shape<infer T> ? T : never
export type Fields = Readonly<Record<string, Shape<unknown>>>

/** What an object of these fields is; one that may be undefined may be missing. */
export type ReadFields<F> = {
  -readonly [K in keyof F as undefined extends Read<F[K]> ? never : K]: Read<F[K]>
} & { -readonly [K in keyof F as undefined extends Read<F[K]> ? K : never]?: Read<F[K]> }

export const text = primitive<string>("string")
export const number = primitive<number>("number")
export const flag = primitive<boolean>("boolean")
/** Whatever it is, nobody looks into it. */
export const anything: Shape<unknown> = { parse: (sent) => sent }
/** An object of whatever fields. */
export const record: Shape<Record<string, unknown>> = {
  parse: (sent) => (isObject(sent) ? sent : fail("an object", sent)),
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return { parse: (sent) => values.find((value) => value === sent) ?? fail(values.join(" or "), sent) }
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return { parse: (sent) => (sent === undefined ? undefined : shape.parse(sent)) }
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return { parse: (sent) => (sent === null ? null : shape.parse(sent)) }
}

export function list<T>(shape: Shape<T>): Shape<T[]> {
  return { parse: (sent) => (Array.isArray(sent) ? sent.map((one) => shape.parse(one)) : fail("a list", sent)) }
}

export function object<const F extends Fields>(fields: F): Shape<ReadFields<F>> {
  const named = Object.entries(fields)
  return {
    parse: (sent) => {
      if (!isObject(sent)) return fail("an object", sent)
      const read: Record<string, unknown> = {}
      for (const [name, shape] of named) {
        const value = shape.parse(sent[name])
        if (value !== undefined) read[name] = value
      }
      return read as ReadFields<F>
    },
  }
}

/** The first of the shapes that it has. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return {
    parse: (sent) => {
      try {
        return first.parse(sent)
      } catch {
        return second.parse(sent)
      }
    },
  }
}

/** What has the shape, or nothing. */
export function readIf<T>(shape: Shape<T>, sent: unknown): T | undefined {
  try {
    return shape.parse(sent)
  } catch {
    return undefined
  }
}

/** What a text holds as JSON, if that has the shape. */
export function readJson<T>(shape: Shape<T>, kept: string): T | undefined {
  try {
    return shape.parse(JSON.parse(kept))
  } catch {
    return undefined
  }
}

export function isObject(sent: unknown): sent is Record<string, unknown> {
  return typeof sent === "object" && sent !== null && !Array.isArray(sent)
}

function primitive<T>(type: "string" | "number" | "boolean"): Shape<T> {
  return { parse: (sent) => (typeof sent === type ? (sent as T) : fail(`a ${type}`, sent)) }
}

function fail(wanted: string, sent: unknown): never {
  throw new TypeError(`Expected ${wanted}, and was sent ${sent === null ? "null" : typeof sent}.`)
}
