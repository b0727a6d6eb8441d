import { text } from "node:stream/consumers"
import { listen } from "./listen.ts"

const AN_HOUR_MS = 3_600_000

/** STS: gives a role's credentials for the session of the request's tag. Their key names it, so that what is asked with them can be judged. */
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

/** The session whose credentials a request is signed with. */
function sessionOf(authorization: string | undefined): string {
  return /Credential=session-([\w-]+)\//.exec(authorization ?? "")?.[1] ?? "nobody"
}

/** Whether a request to DynamoDB stays in its session, as the policy in `infra/credentials.ts` has it. */
export function keepsToItsRecords(request: string, authorization: string | undefined): boolean {
  const { Key, Item, ExpressionAttributeValues: values, IndexName } = JSON.parse(request)
  const partition: string = Key?.pk?.S ?? Item?.pk?.S ?? values?.[":scope"]?.S ?? "none"
  return IndexName === undefined && partition.startsWith(`s/${sessionOf(authorization)}/`)
}

/** The same for a request to S3, by the keys in its path, its list or its body. */
export function keepsToItsBlobs(url: string, request: string, authorization: string | undefined): boolean {
  const { pathname, searchParams } = new URL(url, "http://s3")
  const [, , ...key] = decodeURIComponent(pathname).split("/")
  const deleted = searchParams.has("delete")
    ? [...request.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each]) => each ?? "")
    : []
  const keys = [...[key.join("/"), searchParams.get("prefix") ?? ""].filter(Boolean), ...deleted]
  return keys.length > 0 && keys.every((each) => each.startsWith(`s/${sessionOf(authorization)}/`))
}
