import type { Operation, Operations } from "./operations.ts"

/** Arguments of an operation: path parameters, query and body. */
export type RequestOf<O extends Operation> = UrlParameters<O> & Given<"body", Operations[O]["body"]>

/** Arguments that are part of a request's URL. */
export type UrlParameters<O extends Operation> = Given<"path", Operations[O]["path"]> &
  Given<"query", Operations[O]["query"]>

/**
 * Checks the type that a caller expects in a response. If the API never sends one of its shapes, that is a type error.
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

/** Returns an operation's method and its path, including the query. */
export function locate<O extends Operation>(
  operation: O,
  parameters: UrlParameters<O>,
): { method: string; path: string } {
  const { path = {}, query = {} }: { path?: object; query?: object } = parameters
  const [method = "", template = ""] = operation.split(" ")
  const values = new Map<string, unknown>(Object.entries(path))
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.get(name))))
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  const asked = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
  return { method, path: fields.length > 0 ? `${filled}?${asked}` : filled }
}
