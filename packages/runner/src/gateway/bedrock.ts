import type { AwsAccess } from "@switchyard/core/models/aws-access"
import { signForBedrock } from "@switchyard/core/models/bedrock-http"
import { withoutSlashes } from "@switchyard/core/text/trim"
import type { GatewayDeps } from "./gateway.ts"

const ACTION = "/invoke-with-response-stream"

interface BedrockAccess extends AwsAccess {
  models: readonly string[]
  /** Address instead of AWS's own. */
  baseUrl: string | null
  now: () => number
}

/**
 * Returns the gateway's access to Bedrock. The agent sends the requests of Claude Code's Bedrock mode without a
 * signature. Only streamed calls of the given models are signed. The agent never receives the credentials, and none of
 * its headers reach AWS.
 */
export function signedByRunner({
  models,
  region,
  baseUrl,
  credentials,
  now,
}: BedrockAccess): Pick<GatewayDeps, "upstream" | "signerOf"> {
  const upstream = baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`
  const before = `${withoutSlashes(new URL(upstream).pathname)}/model/`
  return {
    upstream,
    signerOf({ method, path }) {
      if (method !== "POST" || !path.startsWith(before) || !path.endsWith(ACTION)) return undefined
      const model = decodeURIComponent(path.slice(before.length, -ACTION.length))
      if (!models.includes(model)) return undefined
      const url = new URL(`${before}${encodeURIComponent(model)}${ACTION}`, upstream)
      const headers = { "content-type": "application/json" }
      return async (body) => {
        const held = await credentials()
        const signed = await signForBedrock({ method, url, headers, body }, { region, credentials: held, now })
        const secrets = [held.accessKeyId, held.secretAccessKey, held.sessionToken].filter((each) => each !== undefined)
        return { path: url.pathname, headers: signed, secrets }
      }
    },
  }
}
