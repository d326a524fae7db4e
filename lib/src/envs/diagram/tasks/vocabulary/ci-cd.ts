import { list, type Domain } from './types.js';

export const ciCd: Domain = {
  name: 'ci-cd',
  en: {
    nouns:
      list(`Git repository, Pull request, Code review, Commit, Commit hook, Build agent, Build, Build cache, Unit test suite, Integration suite,
      Linter, Security scan, Artifact store, Docker image, Image registry, Staging, Production, Canary, Release note, Release,
      Deploy script, Rollback plan, Approval gate, Secrets vault, Helm chart, Cluster, Smoke test, Coverage report, Change log,
      Version tag, Nightly job, Test runner, Package registry, Dependency bot, Monorepo, Chat bot, On-call engineer, Node 20,
      Pipeline config, Environment, Feature branch, Main branch, deploy(), .env.local`),
    steps:
      list(`Push commit, Install packages, Compile code, Run unit tests, Build image, Scan image, Tag release, Deploy to staging,
      Run smoke test, Promote build, Roll back, Announce release, Bump version 1.2, Clean workspace`),
    states: list(
      `Pending, Building, Passed, Broken, Released, Rolled back, Skipped, Awaiting review, Cancelled`,
    ),
    verbs:
      list(`builds, tests, deploys to, publishes, pushes to, pulls from, approves, blocks, tags, scans, promotes, rolls back,
      merges into, reports on, starts`),
    questions:
      list(`Tests green?, Review approved?, Coverage enough?, Is the branch up to date?, Scan clean?, Build cached?,
      Hotfix needed?, Tag exists?, Canary stable?, Merge conflict?`),
    alias: ['PR', 'Pull request'],
  },
  zh: {
    nouns:
      list(`代码仓库、合并请求、代码评审、提交、提交钩子、构建机、构建、构建缓存、单元测试、集成测试、代码检查、安全扫描、制品库、
      Docker 镜像、镜像仓库、预发环境、生产环境、金丝雀、发布说明、发布、部署脚本、回滚方案、审批关卡、密钥库、Helm 包、集群、
      冒烟测试、覆盖率报告、变更记录、版本标签、夜间任务、测试执行器、软件包仓库、依赖机器人、单仓库、聊天机器人、值班工程师、
      Node 20、流水线配置、环境、特性分支、主分支、deploy()、.env.local`),
    steps:
      list(`推送提交、安装依赖、编译代码、运行单测、构建镜像、扫描镜像、打版本标签、部署到预发、冒烟检查、提升版本、回滚、
      公告发布、升级到 1.2、清理工作区`),
    states: list(`待处理、构建中、已通过、已损坏、已发布、已回滚、已跳过、待评审、已取消`),
    verbs: list(
      `构建、测试、部署到、推送到、拉取自、批准、阻止、标记、扫描、提升、回滚、合并到、汇报、启动、检查`,
    ),
    questions:
      list(`测试通过？、评审通过？、覆盖率足够？、分支最新？、扫描干净？、命中构建缓存？、需要热修复？、标签存在？、
      金丝雀稳定？、合并冲突？`),
    alias: ['PR', '合并请求'],
  },
};
