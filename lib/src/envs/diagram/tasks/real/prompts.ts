/**
 * Twenty requests of the kind people file in issue trackers, written anew, with the graph each of them wants. For
 * evaluation only. The same content as `data/diagram/real-prompts.json`, as a module because browsers read no files.
 */
import type { Direction, ShapeKind } from '../../types.js';

type PromptNode = readonly [id: string, label: string, shape?: ShapeKind];
type PromptEdge = readonly [from: string, to: string, label?: string];
type PlacedNode = readonly [
  id: string,
  label: string,
  shape: ShapeKind,
  x: number,
  y: number,
  width: number,
  height: number,
];

export interface RealPrompt {
  readonly id: string;
  readonly split: string;
  readonly lang: 'en' | 'zh';
  readonly family: string;
  /** The issue that shows the need. */
  readonly src: string;
  /** What a drawer is likely to get wrong. */
  readonly risk: string;
  readonly prompt: string;
  readonly nodes: readonly PromptNode[];
  readonly edges: readonly PromptEdge[];
  readonly groups?: readonly (readonly [id: string, label: string, members: readonly string[]])[];
  readonly dir?: Direction;
  readonly undirected?: boolean;
  readonly init?: { readonly nodes: readonly PlacedNode[]; readonly edges: readonly PromptEdge[] };
  /** Shapes of `init` that must stay where they are. */
  readonly keep?: readonly string[];
}

// prettier-ignore
export const realPrompts: readonly RealPrompt[] = [
  {"id": "P01", "split": "public", "lang": "en", "family": "flowchart", "src": "CodeViz-Public#11", "risk": "loop back edge, labelled exits", "prompt": "Draw a login flow: Start, then Enter credentials, then the decision Valid?. If yes go to Dashboard, if no go to Show error, and Show error leads back to Enter credentials.", "nodes": [["start", "Start", "ellipse"], ["cred", "Enter credentials"], ["valid", "Valid?", "diamond"], ["dash", "Dashboard"], ["err", "Show error"]], "edges": [["start", "cred"], ["cred", "valid"], ["valid", "dash", "yes"], ["valid", "err", "no"], ["err", "cred"]]},
  {"id": "P02", "split": "public", "lang": "en", "family": "architecture", "src": "quickstart-examples#60", "dir": "TB", "risk": "skipping a tier", "prompt": "Three-tier architecture with a browser in front, top to bottom: Browser, Web server, App server, Database. Each one talks only to the next.", "nodes": [["br", "Browser"], ["web", "Web server"], ["app", "App server"], ["db", "Database"]], "edges": [["br", "web"], ["web", "app"], ["app", "db"]]},
  {"id": "P03", "split": "public", "lang": "en", "family": "basic", "src": "excalidraw#6786", "undirected": true, "risk": "inventing extra shapes", "prompt": "Two circles joined by one line. Call them A and B. Nothing else.", "nodes": [["a", "A", "ellipse"], ["b", "B", "ellipse"]], "edges": [["a", "b"]]},
  {"id": "P05", "split": "public", "lang": "en", "family": "pipeline", "src": "excalidraw#10562", "dir": "TB", "risk": "parentheses in labels; style words are not labels", "prompt": "In a soft pastel hand-drawn look, a top-down flow for retrieval QA: User query, Retriever (BERT encoder), Retrieved documents, Generator (BART), Final answer.", "nodes": [["q", "User query"], ["r", "Retriever (BERT encoder)"], ["d", "Retrieved documents"], ["g", "Generator (BART)"], ["a", "Final answer"]], "edges": [["q", "r"], ["r", "d"], ["d", "g"], ["g", "a"]]},
  {"id": "P06", "split": "public", "lang": "en", "family": "architecture", "src": "Mermaid-Chart/issue-tracker#83", "risk": "fan-out of three", "prompt": "Photo upload service. The User uploads to the Web app, the Web app calls the API gateway, and the API gateway uses the Auth service, the Photo storage and the Database.", "nodes": [["u", "User"], ["w", "Web app"], ["g", "API gateway"], ["auth", "Auth service"], ["st", "Photo storage"], ["db", "Database"]], "edges": [["u", "w"], ["w", "g"], ["g", "auth"], ["g", "st"], ["g", "db"]]},
  {"id": "P08", "split": "public", "lang": "en", "family": "flowchart", "src": "Mermaid-Chart/issue-tracker#15", "risk": "exit labels are not yes/no", "prompt": "Pizza order: Customer calls Clerk, Clerk starts an Order, then the decision Delivery or pickup?. Delivery goes to Compute delivery charge, pickup goes to Pay at counter, and both end at Order confirmed.", "nodes": [["cu", "Customer"], ["cl", "Clerk"], ["or", "Order"], ["d", "Delivery or pickup?", "diamond"], ["ch", "Compute delivery charge"], ["pay", "Pay at counter"], ["ok", "Order confirmed", "ellipse"]], "edges": [["cu", "cl"], ["cl", "or"], ["or", "d"], ["d", "ch", "delivery"], ["d", "pay", "pickup"], ["ch", "ok"], ["pay", "ok"]]},
  {"id": "P10", "split": "public", "lang": "zh", "family": "flowchart", "src": "mermaid-live-editor#1952", "risk": "dead-end branch is correct", "prompt": "仓库拣货流程：接收订单，按商品汇总，然后判断“高位有货？”。是，则取下整托，再分拣到门店，再扫码核对，最后更新库存；否，则发出补货提醒。", "nodes": [["a", "接收订单"], ["b", "按商品汇总"], ["c", "高位有货？", "diamond"], ["d", "取下整托"], ["e", "发出补货提醒"], ["f", "分拣到门店"], ["g", "扫码核对"], ["h", "更新库存"]], "edges": [["a", "b"], ["b", "c"], ["c", "d", "是"], ["c", "e", "否"], ["d", "f"], ["f", "g"], ["g", "h"]]},
  {"id": "P12", "split": "public", "lang": "en", "family": "groups", "src": "marktext#4014", "groups": [["zc", "Control plane", ["cat", "prov"]], ["zs", "Shared cluster", ["gw", "svc", "db"]]], "risk": "edge crosses a group border", "prompt": "Two zones. Zone Control plane holds Catalog and Provisioner, and Catalog feeds Provisioner. Zone Shared cluster holds Gateway, Services and Shared DB, connected in that order. Provisioner points to Gateway.", "nodes": [["cat", "Catalog"], ["prov", "Provisioner"], ["gw", "Gateway"], ["svc", "Services"], ["db", "Shared DB"]], "edges": [["cat", "prov"], ["gw", "svc"], ["svc", "db"], ["prov", "gw"]]},
  {"id": "P13", "split": "public", "lang": "zh", "family": "pipeline", "src": "next-ai-draw-io#50", "dir": "LR", "risk": "CJK width, six boxes in one row", "prompt": "画软件开发流程，从左到右依次相连：需求分析、系统设计、开发实现、测试验证、部署上线、维护迭代。", "nodes": [["a", "需求分析"], ["b", "系统设计"], ["c", "开发实现"], ["d", "测试验证"], ["e", "部署上线"], ["f", "维护迭代"]], "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"]]},
  {"id": "P15", "split": "public", "lang": "zh", "family": "groups", "src": "ruanyf/weekly#8386", "groups": [["g", "实例", ["fe", "be"]]], "risk": "container label", "prompt": "画云架构：用户访问前端，前端调用后端接口，后端接口读写数据库。前端和后端接口放在名为“实例”的框里。", "nodes": [["u", "用户"], ["fe", "前端"], ["be", "后端接口"], ["db", "数据库"]], "edges": [["u", "fe"], ["fe", "be"], ["be", "db"]]},
  {"id": "P18", "split": "public", "lang": "zh", "family": "basic", "src": "langgraph#6036", "risk": "ids derived from CJK text collide", "prompt": "四个状态：开始、审核、通过、结束。开始到审核，审核到通过，通过到结束。", "nodes": [["a", "开始"], ["b", "审核"], ["c", "通过"], ["d", "结束"]], "edges": [["a", "b"], ["b", "c"], ["c", "d"]]},
  {"id": "P20", "split": "public", "lang": "en", "family": "edit", "src": "excalidraw-mcp#29", "risk": "redraws everything instead of one label", "prompt": "Rename Server to API gateway and keep everything else as it is.", "init": {"nodes": [["c", "Client", "rectangle", 60, 60, 160, 60], ["s", "Server", "rectangle", 320, 60, 160, 60], ["d", "Database", "rectangle", 580, 60, 160, 60]], "edges": [["c", "s"], ["s", "d"]]}, "nodes": [["c", "Client"], ["s", "API gateway"], ["d", "Database"]], "edges": [["c", "s"], ["s", "d"]], "keep": ["c", "d"]},
  {"id": "P22", "split": "public", "lang": "zh", "family": "edit", "src": "next-ai-draw-io#451", "risk": "orphan edges after a delete", "prompt": "删除队列，让接口直接调用工作进程，其余不变。", "init": {"nodes": [["w", "网页", "rectangle", 60, 60, 140, 60], ["a", "接口", "rectangle", 280, 60, 140, 60], ["q", "队列", "rectangle", 500, 60, 140, 60], ["k", "工作进程", "rectangle", 720, 60, 140, 60], ["d", "数据库", "rectangle", 500, 220, 140, 60]], "edges": [["w", "a"], ["a", "q"], ["q", "k"], ["k", "d"], ["a", "d"]]}, "nodes": [["w", "网页"], ["a", "接口"], ["k", "工作进程"], ["d", "数据库"]], "edges": [["w", "a"], ["a", "k"], ["k", "d"], ["a", "d"]], "keep": ["w", "a", "k", "d"]},
  {"id": "P24", "split": "public", "lang": "en", "family": "edit", "src": "excalidraw-mcp#33", "risk": "floating arrows", "prompt": "The arrows are not attached to anything. Connect Order to Payment and Payment to Shipping; do not add boxes.", "init": {"nodes": [["o", "Order", "rectangle", 60, 60, 160, 60], ["p", "Payment", "rectangle", 320, 60, 160, 60], ["s", "Shipping", "rectangle", 580, 60, 160, 60]], "edges": []}, "nodes": [["o", "Order"], ["p", "Payment"], ["s", "Shipping"]], "edges": [["o", "p"], ["p", "s"]], "keep": ["o", "p", "s"]},
  {"id": "P25", "split": "public", "lang": "en", "family": "architecture", "src": "moi#27", "dir": "LR", "risk": "long label must wrap inside its box", "prompt": "How to publish a private service, left to right: Browser on the internet, Reverse proxy that holds the certificate, Service on port 3000. Label the first arrow https and the second private address.", "nodes": [["b", "Browser on the internet"], ["p", "Reverse proxy that holds the certificate"], ["s", "Service on port 3000"]], "edges": [["b", "p", "https"], ["p", "s", "private address"]]},
  {"id": "P27", "split": "public", "lang": "en", "family": "basic", "src": "open-webui-plugins#44", "risk": "punctuation must survive", "prompt": "Connect four boxes in this order, with exactly these labels: inlet(), /clean, router [v2], outlet().", "nodes": [["a", "inlet()"], ["b", "/clean"], ["c", "router [v2]"], ["d", "outlet()"]], "edges": [["a", "b"], ["b", "c"], ["c", "d"]]},
  {"id": "P29", "split": "public", "lang": "en", "family": "state", "src": "mmdflux#222", "risk": "one of the two opposite arrows missing", "prompt": "Two states, Lock off and Lock on, with an arrow each way, both labelled key pressed.", "nodes": [["a", "Lock off", "ellipse"], ["b", "Lock on", "ellipse"]], "edges": [["a", "b", "key pressed"], ["b", "a", "key pressed"]]},
  {"id": "P31", "split": "public", "lang": "en", "family": "pipeline", "src": "UMTAS#353", "dir": "LR", "risk": "failure path shared by two nodes", "prompt": "CI pipeline, left to right: Push, Build, Test, then the decision Approved?, then Deploy. Test passes to Approved? and fails to Notify team. Approved? yes goes to Deploy, no goes to Notify team.", "nodes": [["p", "Push"], ["b", "Build"], ["t", "Test"], ["a", "Approved?", "diamond"], ["d", "Deploy"], ["n", "Notify team"]], "edges": [["p", "b"], ["b", "t"], ["t", "a", "passes"], ["t", "n", "fails"], ["a", "d", "yes"], ["a", "n", "no"]]},
  {"id": "P34", "split": "public", "lang": "en", "family": "architecture", "src": "kubernetes/website#48500", "risk": "arrow direction", "prompt": "Kubernetes control plane: kubectl calls kube-apiserver, kube-apiserver reads and writes etcd, and scheduler and controller-manager both watch kube-apiserver.", "nodes": [["k", "kubectl"], ["a", "kube-apiserver"], ["e", "etcd"], ["s", "scheduler"], ["c", "controller-manager"]], "edges": [["k", "a"], ["a", "e"], ["s", "a"], ["c", "a"]]},
  {"id": "P38", "split": "public", "lang": "en", "family": "flowchart", "src": "flowchart-fun#231", "risk": "long text in a diamond, unlabelled exits", "prompt": "One decision with the question Is the order total above the free shipping limit?. Yes goes to Free shipping, no goes to Add shipping fee. Label every exit.", "nodes": [["q", "Is the order total above the free shipping limit?", "diamond"], ["f", "Free shipping"], ["a", "Add shipping fee"]], "edges": [["q", "f", "yes"], ["q", "a", "no"]]},
];
