/// <reference path="../.sst/platform/config.d.ts" />
import { COPY_KEPT_DAYS } from "../tools/cloud/kept.ts"
import { assumedBy } from "./role.ts"
import { backupVault, production } from "./stage.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates nightly backups of the records and files in another account's vault. This account can't delete them there.
 */
export function createBackup({ storage }: { storage: Storage }): void {
  if (backupVault === undefined) return
  const vault = new aws.backup.Vault("BackupVault", {
    name: `${$app.name}-${$app.stage}`.toLowerCase(),
    forceDestroy: !production,
  })
  const { accountId } = aws.getCallerIdentityOutput({})
  const role = new aws.iam.Role("BackupRole", {
    assumeRolePolicy: assumedBy({
      principals: { Service: "backup.amazonaws.com" },
      actions: ["sts:AssumeRole"],
      conditions: { StringEquals: { "aws:SourceAccount": accountId } },
    }),
    // Use AWS's managed policies, because the permissions needed for backups change.
    managedPolicyArns: [
      "arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup",
      "arn:aws:iam::aws:policy/AWSBackupServiceRolePolicyForS3Backup",
    ],
  })
  const plan = new aws.backup.Plan("BackupPlan", {
    name: `${$app.name}-${$app.stage}`.toLowerCase(),
    rules: [
      {
        ruleName: "nightly",
        targetVaultName: vault.name,
        schedule: "cron(0 3 * * ? *)",
        lifecycle: { deleteAfter: COPY_KEPT_DAYS.here },
        copyActions: [{ destinationVaultArn: backupVault, lifecycle: { deleteAfter: COPY_KEPT_DAYS.there } }],
      },
    ],
  })
  new aws.backup.Selection("BackupOfStage", {
    name: "stage",
    planId: plan.id,
    iamRoleArn: role.arn,
    resources: [storage.tableArn, storage.bucketArn],
  })
}
