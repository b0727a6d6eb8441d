/// <reference path="../.sst/platform/config.d.ts" />
import { callBedrockForAgents } from "./bedrock.ts"
import { createFunction, invoke } from "./function.ts"
import { assumedBy, createRole } from "./role.ts"
import type { Storage } from "./storage.ts"

/** IAM policy variable that holds the session the credentials were issued for. */
const SESSION = "$" + "{aws:PrincipalTag/session}"

/**
 * Creates the function that gives runners their credentials, and the role for these credentials. A tag on the role's
 * session names the Switchyard session; without the tag, the role has no permissions. Only the function may assume the
 * role and set the tag.
 */
export function createCredentials({ storage }: { storage: Storage }) {
  const { region } = aws.getRegionOutput({})
  const { accountId } = aws.getCallerIdentityOutput({})
  // The role and the function refer to each other, so the role needs a predictable name. Roles belong to the account
  // and not to a region, so the name includes the region.
  const name = $interpolate`${$app.name}-${$app.stage}-session-${region}`
  const roleArn = $interpolate`arn:aws:iam::${accountId}:role/${name}`
  const fn = createFunction("Credentials", {
    handler: "packages/functions/src/aws/credentials.handler",
    description: "Gives runners credentials for their session",
    memory: "256 MB",
    timeout: "30 seconds",
    retries: 0,
    traced: false,
    key: storage.key,
    environment: { ...storage.environment, SESSION_ROLE: roleArn },
    permissions: [
      // The function reads the session log, and replaces a ticket with the next one.
      {
        actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"],
        resources: storage.records.resources,
      },
      storage.blobNames,
      storage.readBlobs,
      storage.archives,
      { actions: ["sts:AssumeRole", "sts:TagSession"], resources: [roleArn] },
    ],
  })
  const own = `s/${SESSION}/*`
  const objects = [$interpolate`${storage.bucketArn}/${own}`]
  createRole("SessionRole", {
    name,
    trusts: assumedBy({
      principals: { AWS: fn.role.arn },
      actions: ["sts:AssumeRole", "sts:TagSession"],
      conditions: {
        StringLike: { "aws:RequestTag/session": "?*" },
        "ForAllValues:StringEquals": { "aws:TagKeys": ["session"] },
      },
    }),
    statements: [
      {
        ...storage.records,
        conditions: [
          { test: "ForAllValues:StringLike", variable: "dynamodb:LeadingKeys", values: [own] },
          // Without this, a request without any key would match.
          { test: "Null", variable: "dynamodb:LeadingKeys", values: ["false"] },
        ],
      },
      {
        ...storage.blobNames,
        conditions: [{ test: "StringLike", variable: "s3:prefix", values: [own] }],
      },
      ...[storage.readBlobs, storage.writeBlobs, storage.deleteBlobs].map(({ actions }) => ({
        actions,
        resources: objects,
      })),
      ...callBedrockForAgents(),
    ],
  })
  return { fn, name: fn.invokeName, invoke: invoke(fn) }
}
