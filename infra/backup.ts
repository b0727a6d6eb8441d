/// <reference path="../.sst/platform/config.d.ts" />
import { COPY_KEPT_DAYS } from "../tools/cloud/kept.ts"
import { assumedBy } from "./role.ts"
import { backupVault, production } from "./stage.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates nightly copies of the records and the files in a vault of another account. This account can't delete backups
 * there.
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
    // AWS maintains these policies, because the needs of its backups change.
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
