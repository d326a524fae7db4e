import { list, type Domain } from './types.js';

export const dataPlatform: Domain = {
  name: 'data-platform',
  en: {
    nouns:
      list(`Event stream, Event, Event schema, Data lake, Data warehouse, Raw zone, Clean zone, Data mart, Ingest job, Batch job,
      Stream processor, Kafka topic, Topic, Connector, Change capture, Schema registry, Catalogue, Lineage graph, Quality check,
      Orchestrator, Spark cluster, Query engine, Dashboard, Report, Notebook, Metric store, Lookup table, Fact table, Staging table,
      Parquet file, CSV export, Sensor feed, Clickstream, Data steward, Analyst, Access policy, Archive, Partition 7, Model v3,
      Column store, Time series, Alert rule, rows[i], load()`),
    steps:
      list(`Extract rows, Clean nulls, Join tables, Drop duplicates, Mask names, Aggregate by day, Check schema, Load table,
      Publish dataset, Refresh dashboard, Archive batch, Sort partitions, Sample 1000 rows, Count records`),
    states: list(`Queued, Running, Loaded, Stale, Fresh, Failed, Archived, Quarantined, Backfilling`),
    verbs:
      list(`feeds, loads into, streams to, transforms, joins, copies to, reads, validates, partitions, enriches, exports to,
      aggregates, archives, triggers, documents`),
    questions:
      list(`Schema matches?, Rows missing?, Data fresh?, Duplicates found?, Batch complete?, Is the file readable?,
      Late events?, Nulls allowed?, Quota left?, Column renamed?`),
    alias: ['DWH', 'Data warehouse'],
  },
  zh: {
    nouns:
      list(`事件流、事件、事件模式、数据湖、数据仓库、原始区、清洗区、数据集市、采集任务、批处理任务、流处理器、Kafka 主题、主题、
      连接器、变更捕获、模式注册表、数据目录、血缘图、质量检查、编排器、Spark 集群、查询引擎、仪表盘、报表、笔记本、指标库、维度表、
      事实表、暂存表、Parquet 文件、CSV 导出、传感器数据、点击流、数据管家、分析师、访问策略、归档库、分区 7、模型 v3、列式存储、
      时间序列、告警规则、rows[i]、load()`),
    steps:
      list(`抽取数据、清理空值、关联表、去除重复、脱敏姓名、按日汇总、检查模式、装载数据表、发布数据集、刷新仪表盘、归档批次、
      排序分区、抽样 1000 行、统计条数`),
    states: list(`已排队、运行中、已装载、陈旧、最新、失败、已归档、已隔离、回填中`),
    verbs: list(
      `供给、装载到、流向、转换、关联、复制到、采集、校验、拆分、补充、导出到、汇总、归档到、触发、描述`,
    ),
    questions:
      list(`模式一致？、缺少数据？、数据新鲜？、发现重复？、批次完整？、文件可读？、事件迟到？、允许空值？、配额充足？、
      列已改名？`),
    alias: ['DWH', '数据仓库'],
  },
};
