/// <reference path="../.sst/platform/config.d.ts" />
import { createKey } from "./key.ts"
import { backupVault, ownKey, pagesElsewhere, production } from "./stage.ts"

export type Storage = ReturnType<typeof createStorage>

/** Time during which accidentally deleted or overwritten data can be restored. */
const DAYS_TO_REGRET = 7

/** Lifetime of archives of tools and dependencies. Afterwards, the next set-up makes new ones. */
const DAYS_PREPARED = 14

/**
 * CORS rules for signed URLs. Anyone with such a URL may read, so all origins are allowed: S3 doesn't support patterns
 * for origins, and after the redirect from `/workspace/download`, browsers send the origin "null".
 */
const READ_BY_PAGES = {
  allowOrigins: ["*"],
  allowMethods: ["GET" as const, "HEAD" as const],
  allowHeaders: ["*"],
  exposeHeaders: ["Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range", "ETag"],
  maxAge: "10 minutes" as const,
}

/** Creates the table and the bucket. The table must match `dynamoTable` in core; a test compares them. */
export function createStorage() {
  const key = ownKey ? createKey() : undefined
  const table = new sst.aws.Dynamo("Records", {
    fields: { pk: "string", sk: "string", list: "string", order: "string" },
    primaryIndex: { hashKey: "pk", rangeKey: "sk" },
    globalIndexes: { by_list: { hashKey: "list", rangeKey: "order" } },
    ttl: "ttl",
    deletionProtection: production,
    transform: {
      table: (args) => {
        args.pointInTimeRecovery = { enabled: true, recoveryPeriodInDays: DAYS_TO_REGRET }
        if (key) args.serverSideEncryption = { enabled: true, kmsKeyArn: key.arn }
      },
    },
  })

  const bucket = new sst.aws.Bucket("Blobs", {
    // Keep old versions of blobs: a restored table needs the blobs from the same time, and AWS Backup requires
    // versioning.
    versioning: production || backupVault !== undefined,
    cors: pagesElsewhere && READ_BY_PAGES,
    transform: {
      bucket: (args) => {
        args.forceDestroy = !production
      },
    },
  })
  new aws.s3.BucketLifecycleConfiguration("BlobsLifecycle", {
    bucket: bucket.name,
    rules: [
      { id: "parts", status: "Enabled", filter: {}, abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } },
      {
        id: "deleted",
        status: "Enabled",
        filter: {},
        noncurrentVersionExpiration: { noncurrentDays: DAYS_TO_REGRET },
        expiration: { expiredObjectDeleteMarker: true },
      },
      {
        id: "prepared",
        status: "Enabled",
        filter: { prefix: "prepared/" },
        expiration: { days: DAYS_PREPARED },
      },
    ],
  })

  if (key) {
    const sealed = { sseAlgorithm: "aws:kms", kmsMasterKeyId: key.arn }
    new aws.s3.BucketServerSideEncryptionConfiguration("BlobsEncryption", {
      bucket: bucket.name,
      // With a bucket key, KMS isn't called and billed for every file.
      rules: [{ applyServerSideEncryptionByDefault: sealed, bucketKeyEnabled: true }],
    })
  }

  const objects = $interpolate`${bucket.arn}/s/*`
  // Copies of published pages outlive their sessions, so they have their own prefix.
  const apps = $interpolate`${bucket.arn}/apps/*`
  // Archives of prepared tools and dependencies belong to owners and not to sessions.
  const prepared = $interpolate`${bucket.arn}/prepared/*`
  return {
    key,
    environment: { TABLE: table.name, BUCKET: bucket.name },
    tableArn: table.arn,
    bucketArn: bucket.arn,
    records: {
      actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:Query"],
      resources: [table.arn],
    },
    lists: { actions: ["dynamodb:Query"], resources: [$interpolate`${table.arn}/index/by_list`] },
    /** Without this permission, S3 responds with 403 instead of 404 for missing objects. */
    blobNames: { actions: ["s3:ListBucket"], resources: [bucket.arn] },
    readBlobs: { actions: ["s3:GetObject"], resources: [objects] },
    writeBlobs: { actions: ["s3:PutObject", "s3:AbortMultipartUpload"], resources: [objects] },
    deleteBlobs: { actions: ["s3:DeleteObject"], resources: [objects] },
    readApps: { actions: ["s3:GetObject"], resources: [apps] },
    writeApps: { actions: ["s3:PutObject", "s3:AbortMultipartUpload"], resources: [apps] },
    deleteApps: { actions: ["s3:DeleteObject"], resources: [apps] },
    archives: { actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], resources: [prepared] },
  }
}
