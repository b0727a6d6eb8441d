/// <reference path="../.sst/platform/config.d.ts" />

/** A task that was begun before a deployment has its image; the others are for whoever looks for the difference. */
const KEPT_IMAGES = 3

/** The runner's image, built here and kept in a repository of its own. It takes Docker. */
export async function createImage() {
  // SST brings it, and reads all of this once before it has.
  const { Image } = await import("@pulumi/docker-build")
  const repository = new aws.ecr.Repository("RunnerImages", {
    name: `${$app.name}-${$app.stage}-runner`.toLowerCase(),
    forceDelete: true,
    imageScanningConfiguration: { scanOnPush: true },
  })
  new aws.ecr.LifecyclePolicy("RunnerImagesExpire", {
    repository: repository.name,
    policy: JSON.stringify({
      rules: [
        {
          rulePriority: 1,
          description: "Only the newest are kept",
          selection: { tagStatus: "any", countType: "imageCountMoreThan", countNumber: KEPT_IMAGES },
          action: { type: "expire" },
        },
      ],
    }),
  })
  const token = aws.ecr.getAuthorizationTokenOutput({ registryId: repository.registryId })
  const image = new Image("RunnerImage", {
    context: { location: $cli.paths.root },
    dockerfile: { location: `${$cli.paths.root}/Dockerfile` },
    platforms: ["linux/arm64"],
    tags: [$interpolate`${repository.repositoryUrl}:latest`],
    registries: [{ address: token.proxyEndpoint, username: token.userName, password: $util.secret(token.password) }],
    push: true,
    // A change of the code alone is built upon what the last deployment pushed.
    cacheFrom: [{ registry: { ref: $interpolate`${repository.repositoryUrl}:latest` } }],
    cacheTo: [{ inline: {} }],
  })
  return {
    repositoryArn: repository.arn,
    /** By its digest: what was tested is what runs. */
    ref: $interpolate`${repository.repositoryUrl}@${image.digest}`,
  }
}
