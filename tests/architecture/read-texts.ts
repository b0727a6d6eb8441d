/** File names, one for each language that a check reads. */
export const PATHS = [
  "a.ts",
  "a.py",
  "a.html",
  "a.css",
  "a.json",
  "a.yml",
  "a.toml",
  "a.md",
  "a.go",
  "a.xml",
  "Dockerfile",
  "Makefile",
]

/** Yields the text in pieces, as a stream delivers it. */
export function* pieces<T extends string | Uint8Array>(text: T, chars = 499): Generator<T> {
  for (let at = 0; at < text.length; at += chars) yield text.slice(at, at + chars) as T
}

export async function drain(items: AsyncIterable<unknown> | Iterable<unknown>) {
  for await (const _ of items);
}
