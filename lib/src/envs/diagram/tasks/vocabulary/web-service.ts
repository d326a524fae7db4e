import { list, type Domain } from './types.js';

export const webService: Domain = {
  name: 'web-service',
  en: {
    nouns:
      list(`Browser, Web app, Mobile app, API, API gateway, Load balancer, Auth service, User service, Session store,
      Session, Database, Read replica, Cache, Message queue, Worker, Scheduler, Mail service, Search index, File storage,
      Image resizer, CDN, Reverse proxy, Rate limiter, Firewall, Admin panel, Audit log, Metrics server, Notification hub,
      Billing service, Payment provider, Webhook, Config server, Feature flag, Profile page, Login page, Token service,
      Backend v2, Port 8443, HTTP client, WebSocket server, Push gateway, DNS, handle(req), :8443`),
    steps:
      list(`Parse request, Check token, Load profile, Query database, Fill cache, Render page, Send response, Write log,
      Refresh session, Compress reply, Validate form, Open connection, Hash password, Return 404`),
    states: list(
      `Connected, Logged in, Logged out, Idle, Timed out, Blocked, Expired, Overloaded, Rate limited`,
    ),
    verbs:
      list(`calls, reads from, writes to, forwards to, authenticates with, subscribes to, publishes to, polls, proxies,
      notifies, redirects to, syncs with, queries, logs to, depends on`),
    questions:
      list(`Token valid?, Cache hit?, User known?, Request allowed?, Body too large?, Session expired?,
      Retry again?, Is the server healthy?, Logged in already?, Rate limit reached?`),
    alias: ['DB', 'Database'],
  },
  zh: {
    nouns:
      list(`浏览器、网页应用、手机应用、接口、会话令牌、API 网关、负载均衡、认证服务、用户服务、会话存储、会话、数据库、只读副本、缓存、
      消息队列、工作进程、调度器、邮件服务、搜索索引、文件存储、图片缩放、CDN、反向代理、限流器、防火墙、管理后台、审计日志、
      指标服务、通知中心、计费服务、支付渠道、回调地址、配置中心、功能开关、个人主页、登录页、令牌服务、后端 v2、端口 8443、
      HTTP 客户端、推送网关、域名解析、handle(req)、:8443`),
    steps:
      list(`解析请求、检查令牌、加载资料、查询数据、填充缓存、渲染页面、返回响应、写入日志、刷新会话、压缩回复、校验表单、
      建立连接、加密密码、返回 404`),
    states: list(`已连接、已登录、已登出、空闲、超时、已封禁、已过期、过载、限流中`),
    verbs: list(
      `调用、读取、写入、转发到、订阅、发布到、轮询、代理、通知、重定向到、同步到、查询、记录到、依赖、请求`,
    ),
    questions:
      list(`令牌有效？、缓存命中？、用户存在？、请求允许？、正文过大？、会话过期？、再次重试？、服务器正常？、
      已经登录？、达到限流？`),
    alias: ['DB', '数据库'],
  },
};
