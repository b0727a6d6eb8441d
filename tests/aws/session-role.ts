import { createSessionRole } from "@switchyard/functions/aws/session-role"
import { describe, expect, it } from "vitest"
import { connectAws } from "./connect.ts"

const aws = connectAws("eu-central-1")

describe(`the role of a session in STS on ${aws.name}`, () => {
  it("gives credentials for an hour, others each time", async () => {
    const role = createSessionRole("arn:aws:iam::123456789012:role/session", aws.config)
    const { signal } = new AbortController()
    const [first, second] = [await role.credentialsFor("a", { signal }), await role.credentialsFor("b", { signal })]
    expect(first.secretAccessKey).not.toBe(second.secretAccessKey)
    expect(first).toMatchObject({
      accessKeyId: expect.stringMatching(/^ASIA/),
      sessionToken: expect.stringMatching(/./),
    })
    const lifeMs = Date.parse(first.expiration) - Date.now()
    expect(Math.round(lifeMs / 60_000)).toBe(60)
  })
})
