/// <reference path="../.sst/platform/config.d.ts" />
import { assumedBy } from "./role.ts"
import { backupVault, production } from "./stage.ts"
import type { Storage } from "./storage.ts"

/** Until the copy in the other account is made, which the next night's waits for. */
const KEPT_HERE_DAYS = 2
const KEPT_THERE_DAYS = 35

/** A copy of the records and the files each night, in a vault of another account, whose backups nobody of this one can delete. */
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
    // AWS's own: what its backups take changes, and is not for us to know.
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
        lifecycle: { deleteAfter: KEPT_HERE_DAYS },
        copyActions: [{ destinationVaultArn: backupVault, lifecycle: { deleteAfter: KEPT_THERE_DAYS } }],
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
