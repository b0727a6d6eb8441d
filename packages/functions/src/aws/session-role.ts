import { AssumeRoleCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts"
import { repeatingOnlyWrongTimes } from "@switchyard/core/storage/aws-clock"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

/** Lifetime of the credentials: AWS's maximum for a role that is assumed by another role (role chaining). */
const LIFE_SECONDS = 3600
const ANSWERED_WITHIN_MS = 4000

/** Creates the source of runner credentials: a role that a session tag restricts to one session. */
export function createSessionRole(role: string, config: STSClientConfig = {}) {
  const client = repeatingOnlyWrongTimes(new STSClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS), ...config }))
  return {
    async credentialsFor(sid: string, { signal }: { signal: AbortSignal }) {
      const command = new AssumeRoleCommand({
        RoleArn: role,
        RoleSessionName: `runner-${sid}`.slice(0, 64),
        DurationSeconds: LIFE_SECONDS,
        Tags: [{ Key: "session", Value: sid }],
      })
      const { Credentials: given } = await client.send(command, { abortSignal: signal })
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {}
      if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
        throw new Error("AWS didn't return credentials.")
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: SessionToken,
        expiration: Expiration.toISOString(),
      }
    },
  }
}
