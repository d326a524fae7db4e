import { list, type Domain } from './types.js';

export const warehouse: Domain = {
  name: 'warehouse',
  en: {
    nouns:
      list(`Loading dock, Dock door 4, Goods in, Goods out, Forklift, Forklift driver, Pallet, Pallet rack, Conveyor, Sorter, Bin, Bin label,
      Picker, Packer, Packing bench, Pick list, Stock count, Barcode scanner, Label printer, Cold room, Bulk storage, Overflow area,
      Carrier, Truck, Trailer, Manifest, Weighbridge, Gate house, Yard, Return bay, Damage report, Shift leader, Inventory system,
      Replenishment, Cross dock, Wrapping machine, Parcel, Customs desk, Safety officer, Aisle, Tote, Robot cart, slot[12], put(away)`),
    steps:
      list(`Unload truck, Check delivery note, Scan pallet, Store pallet, Print pick list, Pick goods, Weigh parcel, Wrap pallet,
      Load trailer, Count stock, Report damage, Seal trailer, Clean aisle 5, Book carrier`),
    states: list(`Received, Stored, Reserved, Picked, Staged, Loaded on truck, Damaged, Missing, In transit`),
    verbs:
      list(`moves to, stores, picks from, loads, unloads, counts, scans for, replenishes, routes to, hands over to, weighs, seals,
      reserves, inspects, sorts into`),
    questions:
      list(`Pallet damaged?, Space free?, Label readable?, Weight correct?, Truck on time?, Is the dock clear?, Count matches?,
      Cold goods?, Stock below 20?, Customs needed?`),
    alias: ['WMS', 'Inventory system'],
  },
  zh: {
    nouns:
      list(`装卸口、4 号月台、收货区、发货区、叉车、叉车司机、托盘、托盘架、传送带、分拣机、货位、货位标签、拣货员、打包员、打包台、
      拣货单、盘点、条码枪、标签打印机、冷库、散货区、溢出区、承运商、货车、挂车、舱单、地磅、门岗、堆场、退货口、破损报告、班组长、
      库存系统、补货、越库区、缠膜机、包裹、报关台、安全员、巷道、周转箱、搬运机器人、slot[12]、put(away)`),
    steps:
      list(`卸下货车、核对送货单、扫描托盘、存放托盘、打印拣货单、拣取货物、包裹称重、缠绕托盘、装上挂车、清点库存、上报破损、
      封好挂车、清扫 5 号巷道、预约承运商`),
    states: list(`已收货、已入库、已预留、已拣货、待装车、已装车、已破损、已丢失、在途`),
    verbs: list(
      `移到、存入、取自、装载、卸载、清点、扫描给、补给、运往、移交给、称重、封存、预留、检验、分拣到`,
    ),
    questions:
      list(`托盘破损？、还有空位？、标签清晰？、重量正确？、货车准时？、月台空闲？、数量一致？、冷藏货物？、库存低于 20？、
      需要报关？`),
    alias: ['WMS', '库存系统'],
  },
};
