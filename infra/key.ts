/// <reference path="../.sst/platform/config.d.ts" />

/**
 * A key of the account's own for the records, the files, the functions' environments and the logs, in the place of AWS's. Whoever may use the
 * table or the bucket may have them opened, by DynamoDB and S3 and in no other way, as AWS's own keys have it: so no role needs more for it,
 * and none gets any further. Lambda gives each function's role a grant for its environment when it is deployed.
 */
export function createKey(): aws.kms.Key {
  const { accountId } = aws.getCallerIdentityOutput({})
  const { region } = aws.getRegionOutput({})
  return new aws.kms.Key("StoredKey", {
    description: "Opens what a stage stores",
    enableKeyRotation: true,
    deletionWindowInDays: 30,
    policy: $jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "Administered",
          Effect: "Allow",
          Principal: { AWS: $interpolate`arn:aws:iam::${accountId}:root` },
          Action: "kms:*",
          Resource: "*",
        },
        {
          Sid: "ByDynamoAndS3",
          Effect: "Allow",
          Principal: { AWS: "*" },
          Action: [
            "kms:Encrypt",
            "kms:Decrypt",
            "kms:ReEncrypt*",
            "kms:GenerateDataKey*",
            "kms:CreateGrant",
            "kms:DescribeKey",
          ],
          Resource: "*",
          Condition: {
            StringEquals: {
              "kms:CallerAccount": accountId,
              "kms:ViaService": [
                $interpolate`dynamodb.${region}.amazonaws.com`,
                $interpolate`s3.${region}.amazonaws.com`,
              ],
            },
          },
        },
        {
          Sid: "ByLogs",
          Effect: "Allow",
          Principal: { Service: $interpolate`logs.${region}.amazonaws.com` },
          Action: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"],
          Resource: "*",
          Condition: {
            ArnLike: {
              "kms:EncryptionContext:aws:logs:arn": $interpolate`arn:aws:logs:${region}:${accountId}:log-group:*`,
            },
          },
        },
      ],
    }),
  })
}
