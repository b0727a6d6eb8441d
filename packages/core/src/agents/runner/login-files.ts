import { createHash } from "node:crypto"
import { parseJson } from "../../text/parse-json.ts"
import { type CliId, loginOf } from "../clis/clis.ts"
import { LOGIN_BYTES } from "./login-schema.ts"

/** Login files, by name. */
export type LoginFiles = { [name: string]: string }

const SHORTEST_TOKEN = 20

/** Explains why these files can't be a login of this CLI. Undefined if they can. */
export function loginFault(cli: CliId, files: LoginFiles): string | undefined {
  const names: string[] = loginOf(cli)?.files ?? []
  const [needed = ""] = names
  const unknown = Object.keys(files).find((name) => !names.includes(name))
  if (unknown !== undefined) return `A login may only have these files: ${names.join(", ")}.`
  if (files[needed] === undefined) return `The login is missing the file ${needed}.`
  for (const [name, content] of Object.entries(files)) {
    if (Buffer.byteLength(content) > LOGIN_BYTES) return `The file ${name} is larger than ${LOGIN_BYTES} bytes.`
    if (!isObject(parseJson(content))) return `The file ${name} doesn't contain a JSON object.`
  }
  if (isKeyOfCodex(parseJson(files[needed])))
    return `The file ${needed} contains an API key. Use it as the account's key instead.`
  return loginTokens(files).length === 0 ? `The file ${needed} doesn't contain a login.` : undefined
}

/** Returns the secrets in a login, longest first: all strings except short ones, times and URLs. */
export function loginTokens(files: LoginFiles): string[] {
  const texts = Object.values(files).flatMap((content) => textsIn(parseJson(content)))
  const isToken = (text: string) =>
    text.length >= SHORTEST_TOKEN && /^[!-~]+$/.test(text) && !/^(?:https?:|\d{4}-\d\d-\d\dT)/.test(text)
  return [...new Set(texts.filter(isToken))].sort((a, b) => b.length - a.length)
}

/** Returns a revision ID derived from the login's content. Different content has a different ID. */
export function loginRevision(files: LoginFiles): string {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash("sha256").update(JSON.stringify(entries)).digest("base64url")
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isKeyOfCodex(value: unknown): boolean {
  return isObject(value) && typeof value.OPENAI_API_KEY === "string" && !isObject(value.tokens)
}
