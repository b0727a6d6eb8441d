import { raceAbort } from "../concurrency/race-abort.ts"
import { withoutSlashes } from "../text/trim.ts"
import { wellFormedJson } from "../text/well-formed.ts"
import type { AwsAccess, AwsCredentials } from "./aws-access.ts"
import { isExpired, noCredentials } from "./bedrock-errors.ts"

interface BedrockCall {
  /** Part of Bedrock: its models, or the facts about them. */
  endpoint: "bedrock-runtime" | "bedrock"
  method: "GET" | "POST"
  path: string
  body?: object
}

interface Transport {
  aws: AwsAccess
  /** Address instead of AWS's own, such as that of a VPC endpoint or gateway. */
  baseUrl?: string | undefined
  fetch: typeof fetch
  signal: AbortSignal
  now?: (() => number) | undefined
}

/**
 * Sends a signed request. If AWS reports that the credentials have expired, loads them again and repeats the request
 * once. The SDK's client isn't used: it would decode thinking to bytes that can't be stored as JSON, and hide the
 * network from the watchdog of `modelCall`.
 */
export async function sendToBedrock(call: BedrockCall, transport: Transport): Promise<Response> {
  const credentials = await load(transport)
  const response = await sendSigned(call, transport, credentials)
  if (!isExpired(response)) return response
  const renewed = await load(transport, { forceRefresh: true })
  if (renewed.sessionToken === credentials.sessionToken) return response
  await response.body?.cancel()
  return sendSigned(call, transport, renewed)
}

/** Loads the credentials. An abort doesn't wait for them, because a login or a metadata server can hang. */
async function load({ aws, signal }: Transport, options?: { forceRefresh: boolean }): Promise<AwsCredentials> {
  try {
    return await raceAbort(aws.credentials(options), signal)
  } catch (error) {
    signal.throwIfAborted()
    throw noCredentials(error)
  }
}

async function sendSigned(call: BedrockCall, transport: Transport, credentials: AwsCredentials) {
  const { aws, signal, now } = transport
  const base = transport.baseUrl ?? `https://${call.endpoint}.${aws.region}.amazonaws.com`
  const url = new URL(`${withoutSlashes(base)}${call.path}`)
  // Repair the text now. Changed after the signature, the request would be refused.
  const body = call.body && wellFormedJson(JSON.stringify(call.body))
  const { method } = call
  const json = { "content-type": "application/json" }
  const request = { method, url, ...(body && { body, headers: json }) }
  const headers = await signForBedrock(request, { region: aws.region, credentials, now })
  return transport.fetch(url, { method, headers, signal, redirect: "manual", ...(body && { body }) })
}

/** Signs a request. Returns all its headers, except for `host`, which every client sets itself. */
export async function signForBedrock(
  request: { method: string; url: URL; headers?: Record<string, string>; body?: string | Uint8Array },
  {
    region,
    credentials,
    now = Date.now,
  }: { region: string; credentials: AwsCredentials; now?: (() => number) | undefined },
): Promise<Record<string, string>> {
  const [{ SignatureV4 }, { Hash }] = await Promise.all([import("@smithy/signature-v4"), import("@smithy/core/serde")])
  const signer = new SignatureV4({ service: "bedrock", region, credentials, sha256: Hash.bind(null, "sha256") })
  const { method, url, body, headers } = request
  const { protocol, hostname, pathname: path } = url
  const signed = await signer.sign(
    { method, protocol, hostname, path, headers: { ...headers, host: url.host }, ...(body && { body }) },
    { signingDate: new Date(now()) },
  )
  const { host: _, ...sent } = signed.headers
  return sent
}
