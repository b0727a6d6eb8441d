import { text } from "node:stream/consumers"
import { listen } from "./listen.ts"

const AN_HOUR_MS = 3_600_000

/**
 * Starts an STS that issues a role's credentials for the session in the request's tag. Their key names the session, so
 * that their requests can be judged.
 */
export async function startSts() {
  const asked: Record<string, string>[] = []
  const server = await listen(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    asked.push(form)
    const sid = form["Tags.member.1.Value"]
    const expiration = new Date(Date.now() + AN_HOUR_MS).toISOString()
    response
      .writeHead(200, { "content-type": "text/xml" })
      .end(
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>` +
          `<AccessKeyId>session-${sid}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>` +
          `<SessionToken>token</SessionToken><Expiration>${expiration}</Expiration>` +
          `</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      )
  })
  return { endpoint: `http://${server.host}`, asked, stop: server.stop }
}

/** Returns the session whose credentials signed a request. */
function sessionOf(authorization: string | undefined): string {
  return /Credential=session-([\w-]+)\//.exec(authorization ?? "")?.[1] ?? "nobody"
}

/** True if a request to DynamoDB stays in its session, by the policy in `infra/credentials.ts`. */
export function keepsToItsRecords(request: string, authorization: string | undefined): boolean {
  const { Key, Item, ExpressionAttributeValues: values, IndexName } = JSON.parse(request)
  const partition: string = Key?.pk?.S ?? Item?.pk?.S ?? values?.[":scope"]?.S ?? "none"
  return IndexName === undefined && partition.startsWith(`s/${sessionOf(authorization)}/`)
}

/** True if a request to S3 stays in its session, by the keys in its path, list or body. */
export function keepsToItsBlobs(url: string, request: string, authorization: string | undefined): boolean {
  const { pathname, searchParams } = new URL(url, "http://s3")
  const [, , ...key] = decodeURIComponent(pathname).split("/")
  const deleted = searchParams.has("delete")
    ? [...request.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each]) => each ?? "")
    : []
  const keys = [...[key.join("/"), searchParams.get("prefix") ?? ""].filter(Boolean), ...deleted]
  return keys.length > 0 && keys.every((each) => each.startsWith(`s/${sessionOf(authorization)}/`))
}
