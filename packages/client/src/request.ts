import type { Operation, Operations } from "./operations.ts"

/** The arguments of an operation: the parameters of its path, its query and its body. */
export type RequestOf<O extends Operation> = Place<O> & Given<"body", Operations[O]["body"]>

/** The part of a request that is in its address. */
export type Place<O extends Operation> = Given<"path", Operations[O]["path"]> & Given<"query", Operations[O]["query"]>

/**
 * Nothing against an answer's reader, or an error of types: each shape that it can read must be one that the API sends.
 */
export type Reads<O extends Operation, T> = [NeverSent<Operations[O]["answer"], T>] extends [never]
  ? unknown
  : { "the API never sends": NeverSent<Operations[O]["answer"], T> }

type NeverSent<Sent, T> = unknown extends T
  ? never
  : T extends unknown
    ? [Extract<Sent, T>] extends [never]
      ? T
      : never
    : never

type Given<Name extends string, T> = [T] extends [undefined]
  ? { [N in Name]?: undefined }
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T }

/** An operation's method, and its address from the server's root on. */
export function locate<O extends Operation>(operation: O, place: Place<O>): { method: string; path: string } {
  const { path = {}, query = {} }: { path?: object; query?: object } = place
  const [method = "", template = ""] = operation.split(" ")
  const values = new Map<string, unknown>(Object.entries(path))
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.get(name))))
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  const asked = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
  return { method, path: fields.length > 0 ? `${filled}?${asked}` : filled }
}
