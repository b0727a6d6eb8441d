import { createHash } from "node:crypto"

/** An image in a registry, for example `library/node` with tag `24-bookworm-slim`. */
export interface Image {
  repository: string
  tag: string
}

const BASE = /^ARG BASE=([\w./-]+):([\w.-]+)(?:@sha256:[0-9a-f]{64})?$/m

/** Pins the Dockerfile's base image to the current digest of its tag. */
export async function pinBase(dockerfile: string, digestOf: (image: Image) => Promise<string>): Promise<string> {
  const [, name = "", tag = ""] = BASE.exec(dockerfile) ?? []
  if (!name) throw new Error("The Dockerfile has no line such as ARG BASE=node:24-bookworm-slim.")
  const repository = name.includes("/") ? name : `library/${name}`
  const digest = await digestOf({ repository, tag })
  return dockerfile.replace(BASE, `ARG BASE=${name}:${tag}@${digest}`)
}

/** Media types of a multi-architecture index, which is what tags on Docker Hub refer to. */
const INDEXES = ["application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"]

/** Reads a tag's digest from a registry, computed from the bytes that it serves. */
export async function readDigest(registry: string, { repository, tag }: Image): Promise<string> {
  const url = `${registry}/v2/${repository}/manifests/${tag}`
  const headers = { accept: INDEXES.join(", ") }
  const first = await fetch(url, { headers })
  const answer =
    first.status === 401 ? await fetch(url, { headers: { ...headers, ...(await authorization(first)) } }) : first
  if (!answer.ok) throw new Error(`${url} responded with ${answer.status}.`)
  const type = answer.headers.get("content-type") ?? ""
  if (!INDEXES.includes(type)) throw new Error(`${url} is ${type || "of unknown type"}, not an image index.`)
  return `sha256:${createHash("sha256")
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest("hex")}`
}

/** Gets a token from the address in the 401 response. For public images, anybody can get one. */
async function authorization(refusal: Response): Promise<Record<string, string>> {
  const challenge = refusal.headers.get("www-authenticate") ?? ""
  const { realm, ...about } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  )
  if (!realm) throw new Error("The registry requires authentication but didn't send a token URL.")
  const answer = await fetch(`${realm}?${new URLSearchParams(about)}`)
  const { token } = (await answer.json()) as { token: string }
  return { authorization: `Bearer ${token}` }
}
