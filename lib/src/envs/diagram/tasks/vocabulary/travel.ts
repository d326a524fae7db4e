import { list, type Domain } from './types.js';

export const travel: Domain = {
  name: 'travel',
  en: {
    nouns:
      list(`Traveller, Travel agent, Airline, Airport, Flight, Flight crew, Boarding pass, Passport, Visa office, Visa, Hotel, Hotel room,
      Room key, Tour guide, Tour operator, Rental car, Car desk, Train ticket, Sleeper train, Ferry, Cruise ship, Cabin, Suitcase,
      Baggage belt, Check-in desk, Security lane, Departure lounge, Gate B22, Transfer bus, City map, Itinerary, Excursion, Museum pass,
      Currency exchange, Travel insurance, Embassy, Hostel, Campsite, Mountain hut, Frequent flyer, Seat 14C, Trip planner, seat[14c],
      quote(fare)`),
    steps:
      list(`Choose destination, Compare fares, Book flight, Reserve hotel, Apply for visa, Pay deposit, Pack suitcase, Check in online,
      Drop luggage, Pass security, Board plane, Collect luggage, Rent 2 bikes, Claim refund`),
    states: list(`Planned, Booked, Confirmed, Checked in, Boarding, Delayed, Departed, Landed, Rebooked`),
    verbs:
      list(`books, flies to, guides, reserves with, checks in at, carries, transfers, visits, insures, boards, upgrades, rents from,
      arrives at, departs from, quotes`),
    questions:
      list(`Seats left?, Passport valid?, Visa needed?, Direct flight?, Is the hotel full?, Luggage over 23 kg?, Flight delayed?,
      Deposit paid?, Window seat?, Insurance wanted?`),
    alias: ['Voyager', 'Traveller'],
  },
  zh: {
    nouns:
      list(`旅客、旅行社、航空公司、机场、航班、机组、登机牌、护照、签证处、签证、酒店、酒店房间、房卡、导游、地接社、租车、租车柜台、
      火车票、卧铺列车、渡轮、邮轮、客舱、行李箱、行李转盘、值机柜台、安检通道、候机厅、B22 登机口、接驳巴士、城市地图、行程单、
      短途游、博物馆通票、货币兑换、旅行保险、大使馆、青年旅舍、露营地、山屋、常旅客、14C 座位、行程规划、seat[14c]、quote(fare)`),
    steps:
      list(`选择目的地、比较票价、预订航班、预订酒店、申请签证、支付定金、收拾行李、网上值机、托运行李、通过安检、登机、领取行李、
      租 2 辆车、申请退票`),
    states: list(`已规划、已预订、已确认、已值机、登机中、延误、已起飞、已降落、已改签`),
    verbs: list(
      `预订、飞往、带领、订位于、值机于、搭载、接送、游览、承保、登上、升舱、租自、到达、离开、报价给`,
    ),
    questions:
      list(`还有座位？、护照有效？、需要签证？、直飞？、酒店满房？、行李超过 23 公斤？、航班延误？、定金已付？、靠窗座位？、
      需要保险？`),
    alias: ['游客', '旅客'],
  },
};
