import { createHash } from "node:crypto"

/** An image in a registry, for example `library/node` and `24-bookworm-slim`. */
export interface Image {
  repository: string
  tag: string
}

const BASE = /^ARG BASE=([\w./-]+):([\w.-]+)(?:@sha256:[0-9a-f]{64})?$/m

/** Pins the Dockerfile's base to the current digest of its tag. */
export async function pinBase(dockerfile: string, digestOf: (image: Image) => Promise<string>): Promise<string> {
  const [, name = "", tag = ""] = BASE.exec(dockerfile) ?? []
  if (!name) throw new Error("The Dockerfile has no line such as ARG BASE=node:24-bookworm-slim.")
  const repository = name.includes("/") ? name : `library/${name}`
  const digest = await digestOf({ repository, tag })
  return dockerfile.replace(BASE, `ARG BASE=${name}:${tag}@${digest}`)
}

/** Types of an index for several architectures, which a tag of Docker Hub is. */
const INDEXES = ["application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"]

/** Reads the digest of a tag from a registry, computed from the bytes that it serves. */
export async function readDigest(registry: string, { repository, tag }: Image): Promise<string> {
  const url = `${registry}/v2/${repository}/manifests/${tag}`
  const headers = { accept: INDEXES.join(", ") }
  const first = await fetch(url, { headers })
  const answer =
    first.status === 401 ? await fetch(url, { headers: { ...headers, ...(await authorization(first)) } }) : first
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}.`)
  const type = answer.headers.get("content-type") ?? ""
  if (!INDEXES.includes(type)) throw new Error(`${url} is ${type || "of unknown type"}, not an index of images.`)
  return `sha256:${createHash("sha256")
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest("hex")}`
}

/** Gets a token from the address in the refusal. Public images give everybody a token. */
async function authorization(refusal: Response): Promise<Record<string, string>> {
  const challenge = refusal.headers.get("www-authenticate") ?? ""
  const { realm, ...about } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  )
  if (!realm) throw new Error("The registry refuses without an address for logging in.")
  const answer = await fetch(`${realm}?${new URLSearchParams(about)}`)
  const { token } = (await answer.json()) as { token: string }
  return { authorization: `Bearer ${token}` }
}
