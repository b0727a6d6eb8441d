/// <reference path="../.sst/platform/config.d.ts" />

/**
 * Creates a customer-managed key for the records, the files, the functions' environments and the logs. It replaces
 * AWS's own keys. Roles with access to the table or bucket may use the key, but only through DynamoDB and S3, as with
 * AWS's own keys. Therefore, the roles neither need nor gain any permissions. Lambda grants each function's role access
 * to its environment at deployment.
 */
export function createKey(): aws.kms.Key {
  const { accountId } = aws.getCallerIdentityOutput({})
  const { region } = aws.getRegionOutput({})
  return new aws.kms.Key("StoredKey", {
    description: "Encrypts a stage's stored data",
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
